import type { Wish } from '../../experiment/index.ts'
import { StoreError } from '../../stores/store-error.ts'
import type { AddCommand, LogOptions } from '../log/open-log.ts'
import { print } from '../print.ts'
import { UserError } from '../user-error.ts'
import { leaveWishInFile } from './control-file.ts'
import { readExperiments, writeExperiments } from './open-experiments.ts'

/** Commands that pause or stop an experiment, also of another process. */
export function addWishCommands(add: AddCommand): void {
  add('pause <id>', 'pauses an experiment before the next role acts').action((id, options) =>
    wish(id, 'pause', options),
  )
  add('stop <id>', 'ends an experiment before the next role acts').action((id, options) =>
    wish(id, 'stop', options),
  )
}

const done: Readonly<Record<Wish, string>> = { pause: 'is paused', stop: 'is stopped' }

async function wish(id: string, wish: Wish, options: LogOptions): Promise<void> {
  try {
    await writeExperiments(options, {}, async experiments => {
      const outcome = await (wish === 'pause' ? experiments.pause(id) : experiments.stop(id))
      print(outcome === 'done' ? `${id} ${done[wish]}` : `${id} will ${wish} before the next role acts`)
    })
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'store_locked') throw error
    await readExperiments(options, async experiments => {
      const { status, result } = await experiments.show(id)
      if (result !== undefined) throw new UserError(`${id} has ended as ${status}`)
      askRunner(id, wish, options, error)
    })
  }
}

/** Asks the process that writes to the file, if it is a command of ours; else rethrows that the file is locked. */
function askRunner(id: string, wish: Wish, { db }: LogOptions, locked: StoreError): void {
  const runner = leaveWishInFile(db, id, wish)
  if (!runner) throw locked
  if (runner.id !== id)
    throw new UserError(`${db} is in use by process ${runner.pid}, which runs ${runner.id}: try again later`)
  print(`${id} will ${wish} before the next role acts (process ${runner.pid} was asked)`)
}
