import type { SeenMessage, Thread, Turn } from '../../history/index.ts'
import { ThroughlineError } from '../../log/error.ts'
import type { MessageLike } from '../../log/message.ts'
import { LeaseError } from '../../stores/store-error.ts'
import { sleep } from '../../turn/index.ts'
import { visibleTo } from '../environment/environment.ts'
import { type ActiveExperiment, roleThread } from '../log/active-experiment.ts'
import { refold, stepTurns, turnKey } from '../log/step-turns.ts'
import type { Role } from '../plan/role.ts'

/** A role's turn that is ours to go on with. */
export interface RoleTurn {
  readonly thread: Thread
  readonly turn: Turn
  readonly attempt: number
  /** Its messages so far: they say what comes next. */
  readonly said: readonly SeenMessage[]
}

/**
 * The turn of a role in the current step: a new one, or the one that was left open, by a pause or by a process that is gone. Undefined
 * when it has ended already.
 */
export async function openTurn(
  active: ActiveExperiment,
  role: Role,
  injected: readonly string[],
): Promise<RoleTurn | undefined> {
  const thread = roleThread(active, active.id, role.name)
  if (active.step === 1) await seedOnce(thread, role.history)
  for (let attempt = 1; ; ) {
    const input = [...injected, stepText(active, role)].map(content => ({ role: 'user', content }))
    const begun = await whenFree(() => begin(thread, input, turnKey(active.step, attempt)), active.signal)
    if (begun) return { thread, turn: begun, attempt, said: input.map(message => ({ message })) }
    // Somebody was here before: what he did counts, also where it is no longer what we would ask.
    const turns = await stepTurns(thread, active.step)
    if ((await thread.status()).state !== 'idle') {
      const resumed = await whenFree(() => thread.resume(), active.signal)
      if (!resumed) continue
      try {
        await refold(active)
      } catch (error) {
        await resumed.turn.leave().catch(() => undefined)
        throw error
      }
      return { thread, turn: resumed.turn, attempt: turns.length, said: resumed.entries }
    }
    await refold(active)
    if (turns.at(-1)?.status === 'completed') return undefined
    attempt = turns.length + 1
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

const stepText = ({ step, environment }: ActiveExperiment, { variables }: Role) =>
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
