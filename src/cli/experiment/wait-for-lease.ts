import { setTimeout } from 'node:timers/promises'
import { ThroughlineError } from '../../log/error.ts'
import { UserError } from '../user-error.ts'

interface WaitOptions {
  readonly id: string
  /** The database is a file, which has one writer: us. Whoever holds the experiment is then gone. */
  readonly isFile: boolean
  readonly signal: AbortSignal
}

/** Takes an experiment over from a process that was killed: its lease has to run out first. */
export async function waitForLease<T>(
  { id, isFile, signal }: WaitOptions,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ThroughlineError) || error.code !== 'turn_open') throw error
      if (!isFile)
        throw new UserError(
          `${id} is run by another process. If that one died, it is free when its lease is over`,
          {
            cause: error,
          },
        )
      if (attempt === 1)
        process.stderr.write(`Waits until the lease of the process that ran ${id} is over.\n`)
      await setTimeout(250)
      if (signal.aborted) throw new UserError(`gave up waiting for ${id}`)
    }
  }
}
