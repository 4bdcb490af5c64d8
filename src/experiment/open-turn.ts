import { sleep } from '../chat/backoff.ts'
import type { Thread, Turn } from '../history/index.ts'
import { ThroughlineError } from '../log/error.ts'
import type { MessageLike } from '../log/message.ts'
import { LeaseError } from '../stores/store-error.ts'
import { visibleTo } from './environment.ts'
import type { Role } from './role.ts'
import { type Run, type RunOptions, roleThread } from './run.ts'
import { lastSnapshot } from './run-state.ts'
import { foldStep, stepTurns, type TurnData, turnKey } from './step-turns.ts'

export interface Said {
  readonly message: MessageLike
  readonly data?: TurnData
}

/** A role's turn that is ours to go on with. */
export interface RoleTurn {
  readonly thread: Thread
  readonly turn: Turn
  readonly attempt: number
  /** Its messages so far: they say what comes next. */
  readonly said: Said[]
}

/** While it is being answered. */
export interface ActingTurn extends RoleTurn {
  /** Aborted with the run, or when the turn is lost. */
  readonly signal: AbortSignal
}

/**
 * The turn of a role in the current step: a new one, or the one that was left open, by a pause or by a process that is gone. Undefined
 * when it has ended already.
 */
export async function openTurn(
  run: Run,
  role: Role,
  injected: readonly string[],
): Promise<RoleTurn | undefined> {
  const thread = roleThread(run, run.id, role.name)
  if (run.step === 1) await seedOnce(thread, role.history)
  for (let attempt = 1; ; ) {
    const input = [...injected, stepText(run, role)].map(content => ({ role: 'user', content }))
    const begun = await whenFree(() => begin(thread, input, turnKey(run.step, attempt)), run.signal)
    if (begun) return { thread, turn: begun, attempt, said: input.map(message => ({ message })) }
    // Somebody was here before: what he did counts, also where it is no longer what we would ask.
    const turns = await stepTurns(thread, run.step)
    if ((await thread.status()).state !== 'idle') {
      const resumed = await whenFree(() => thread.resume(), run.signal)
      if (!resumed) continue
      try {
        await refold(run)
      } catch (error) {
        await resumed.turn.leave().catch(() => undefined)
        throw error
      }
      const said = resumed.entries.map(({ message, data }) => ({ message, data: (data ?? {}) as TurnData }))
      return { thread, turn: resumed.turn, attempt: turns.length, said }
    }
    await refold(run)
    if (turns.at(-1)?.status === 'completed') return undefined
    attempt = turns.length + 1
  }
}

/** Reads the environment again, from the log: nobody else can write to it by now. */
export async function refold(run: Run): Promise<void> {
  const { id, plan, log, step } = run
  const roles = plan.roles.map(({ name }) => name)
  run.environment = await foldStep(run, { id, roles, step, environment: lastSnapshot(log.state) })
}

/** Closes the turns that were left open, of an experiment that ends without them. One that a lease still holds stays. */
export async function cancelTurns(options: RunOptions, id: string, roles: readonly string[]): Promise<void> {
  for (const role of roles) {
    try {
      const left = await roleThread(options, id, role).resume()
      await left?.turn.cancel()
    } catch (error) {
      if (!(error instanceof ThroughlineError) || error.code !== 'turn_open') throw error
    }
  }
}

/** Waits for a lease of a process that is gone to run out. Nobody else can take it: the experiment is ours. */
export async function whenFree<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof LeaseError) || error.code !== 'turn_open') throw error
      await sleep(Math.min(200, error.retryAfterMs ?? 200), signal)
    }
  }
}

const stepText = ({ step, environment }: Run, { variables }: Role) =>
  `Step ${step}. Current Environment: ${JSON.stringify(visibleTo(environment, variables))}`

/** Undefined when a turn of this key was begun before. */
async function begin(thread: Thread, input: readonly MessageLike[], key: string): Promise<Turn | undefined> {
  try {
    const begun = await thread.begin(input, { key })
    return begun.kind === 'begun' ? begun.turn : undefined
  } catch (error) {
    // The environment has changed since, by that very turn.
    if (error instanceof ThroughlineError && error.code === 'key_reused') return undefined
    throw error
  }
}

/** Messages from before the first step, all of them in one transaction or none. */
async function seedOnce(thread: Thread, history: readonly MessageLike[]): Promise<void> {
  if (history.length === 0 || (await thread.entries({ limit: 1 })).length > 0) return
  await thread.seed(...history)
}
