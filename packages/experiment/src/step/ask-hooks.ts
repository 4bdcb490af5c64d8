import { withLimit } from '@throughline/chat/turn'
import { ExperimentFailure } from '../experiment-error.ts'
import { type RecordedDecision, stepsOf } from '../log/experiment-log.ts'
import type { ActiveExperiment } from '../log/experiment-threads.ts'
import type { HookDecision, HookMessage, HookPoint } from '../plan/hook.ts'

/** Asks the hooks of a point in order, until one ends step or experiment. Logged before it holds, and asked only once. */
export async function askHooks(
  active: ActiveExperiment,
  on: HookPoint,
  place: readonly (string | number)[],
  context: object = {},
): Promise<RecordedDecision> {
  const hooks = active.plan.hooks.filter(hook => hook.on === on)
  if (hooks.length === 0) return {}
  // An experiment that is resumed after its last step stands at the next one; the number of ended steps is the same.
  const step = on === 'after-experiment' ? stepsOf(active.log.state) : active.step
  const key = hookKey(on, step, place)
  const loggedDecision = active.log.state.decisions.get(key)
  if (loggedDecision) return loggedDecision
  const { id, environment } = active
  const inject: HookMessage[] = []
  const images: string[] = []
  const errors: string[] = []
  let last: HookDecision = {}
  for (const hook of hooks) {
    try {
      const input = { id, step, environment, ...context }
      const decided = await untilAborted(() => hook.run(input as never), active.signal)
      last = (decided as HookDecision | undefined) ?? {}
      if (last.inject !== undefined) inject.push(readMessage(last.inject))
      for (const image of readImages(last.images)) images.push(image)
    } catch (error) {
      if (active.signal.aborted) throw active.signal.reason
      const problem = `The hook ${on} failed: ${error instanceof Error ? error.message : String(error)}`
      if (hook.onError !== 'record')
        throw new ExperimentFailure('hook_failed', `Error: ${problem}`, { cause: error })
      errors.push(problem)
      await active.emit({ type: 'warning', code: 'hook_failed', message: problem })
      continue
    }
    if (last.skip || last.endStep || last.stop !== undefined) break
  }
  const { skip, endStep, stop } = last
  const decision: RecordedDecision = {
    ...{ inject: ifAny(inject), images: ifAny(images), stop },
    ...{ skip: skip || undefined, endStep: endStep || undefined },
  }
  await active.log.append({ kind: 'hook', key, ...decision, errors: ifAny(errors) })
  return decision
}

/** The message of a hook. Throws if it is not one: it could not be sent. */
function readMessage(inject: unknown): HookMessage {
  if (typeof inject === 'string') return { content: inject }
  const { content, images } = (inject ?? {}) as Partial<HookMessage>
  if (typeof content !== 'string') throw new Error('"inject" must be a text or { content, images }')
  return { content, images: ifAny(readImages(images)) }
}

/** Empty lists are not stored. */
const ifAny = <Item>(list: readonly Item[]) => (list.length > 0 ? list : undefined)

function readImages(images: unknown): readonly string[] {
  if (images === undefined) return []
  if (Array.isArray(images) && images.every(image => typeof image === 'string')) return images
  throw new Error('"images" must be a list of texts in base64')
}

/** A unique key for a point of an experiment, whatever roles are called. */
export const hookKey = (on: HookPoint, step: number, place: readonly (string | number)[]): string =>
  JSON.stringify([on, step, ...place])

/** Waits for work until the signal is aborted, even if the work (a hook, say) does not listen to it. */
export async function untilAborted<T>(work: () => T | Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  return withLimit((async () => work())(), { signal })
}
