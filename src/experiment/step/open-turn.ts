import type { SeenMessage, Thread, Turn } from '../../history/index.ts'
import { sleep } from '../../models/sleep.ts'
import { LeaseError } from '../../stores/store-error.ts'
import { visibleTo } from '../environment.ts'
import type { RecordedDecision } from '../log/experiment-log.ts'
import { type ActiveExperiment, beginOnce, foldStep, stepTurns, turnKey } from '../log/experiment-threads.ts'
import type { PlanRole } from '../plan/role.ts'

export interface RoleTurn {
  readonly thread: Thread
  readonly turn: Turn
  readonly attempt: number
  /** The messages so far: they determine what comes next. */
  readonly turnMessages: readonly SeenMessage[]
}

/** What the hooks before a turn give it: messages, and images for the message of the step. */
export type TurnInput = Pick<RecordedDecision, 'inject' | 'images'>

/** Opens the turn of a role in the current step: a new one, or one that was left open. Undefined if it has ended. */
export async function openTurn(
  active: ActiveExperiment,
  role: PlanRole,
  { inject, images }: Required<TurnInput>,
): Promise<RoleTurn | undefined> {
  const { step: number, signal } = active
  const thread = active.roleThread(role.name)
  const { history } = role
  if (number === 1 && history.length > 0 && (await thread.entries({ limit: 1 })).length === 0)
    await thread.seed(...history)
  for (let attempt = 1; ; ) {
    const step = { content: stepText(active, role), ...(images.length > 0 && { images }) }
    const input = [...inject, step].map(message => ({ role: 'user', ...message }))
    const begun = await whenFree(() => beginOnce(thread, input, turnKey(number, attempt)), signal)
    if (begun) return { thread, turn: begun, attempt, turnMessages: input.map(message => ({ message })) }
    // The turn was begun before: it counts as it is, even if we would now begin it with another text, because it has
    // itself changed the environment that the text shows.
    const turns = await stepTurns(thread, number)
    const isIdle = (await thread.status()).state === 'idle'
    const resumed = isIdle ? undefined : await whenFree(() => thread.resume(), signal)
    if (!isIdle && !resumed) continue
    try {
      active.environment = await foldStep(active, active.log.state)
    } catch (error) {
      await resumed?.turn.leave().catch(() => undefined)
      throw error
    }
    if (resumed) return { thread, turn: resumed.turn, attempt: turns.length, turnMessages: resumed.entries }
    if (turns.at(-1)?.status === 'completed') return undefined
    attempt = turns.length + 1
  }
}

/** Waits until the lease of a dead process runs out. No other process can take it, because we hold the experiment. */
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

const stepText = ({ step, environment }: ActiveExperiment, { variables }: PlanRole) =>
  `Step ${step}. Current Environment: ${JSON.stringify(visibleTo(environment, variables))}`
