import type { Context } from '../../context/context.ts'
import type { MessageLike } from '../../log/message.ts'
import type { CallStatus, Head, StoredCall } from '../../stores/store.ts'
import { type LogSource, readLog } from '../log/read-log.ts'
import { fromPlan, type PlanLog, placesIn, promptOf, type Run, readPlan, toPlan } from './plan.ts'
import { loadPrompt } from './prompts.ts'

export interface CallStart {
  readonly model: string
  /** Default: the newest turn. */
  readonly turn?: number
}

/** How a call went. */
export interface CallOutcome {
  readonly status: Exclude<CallStatus, 'sent'>
  /** A code, for a call that failed. */
  readonly error?: string
  /** The prompt tokens that the provider says it read. */
  readonly reported?: number
}

/** A call that is stored, and whose outcome is not known yet. */
export interface StartedCall {
  readonly call: StoredCall
  /** Stores the outcome of the call. */
  end(outcome: CallOutcome): Promise<StoredCall>
}

/** A call as a thread shows it: `interrupted` if it has no outcome and its turn is no longer held. */
export interface ThreadCall extends Omit<StoredCall, 'status'> {
  readonly status: CallStatus | 'interrupted'
}

export interface CallInfo extends CallStart {
  /** The prompt tokens that the provider says it read. */
  readonly reported?: number
}

/** The stored record of a call that is about to be sent: its context as places of entries, and its receipt. */
export function toCall(
  context: Context,
  { model, turn = 0 }: CallStart,
  { id, time, log, prompt }: { id: string; time: number; log: PlanLog; prompt: string | undefined },
): StoredCall {
  return {
    id,
    turn,
    time,
    model,
    plan: JSON.stringify(toPlan(context, log, prompt)),
    predicted: context.tokens,
    status: 'sent',
  }
}

export function toThreadCall(call: StoredCall, { open }: Pick<Head, 'open'>): ThreadCall {
  const isUnderWay = open !== undefined && open.expiresInMs > 0 && open.turn === call.turn
  return call.status === 'sent' && !isUnderWay ? { ...call, status: 'interrupted' } : call
}

/** The messages of a call as they were sent, even if policies have changed since. Reads only the entries it names. */
export async function replayCall(
  source: LogSource,
  call: Pick<StoredCall, 'plan'>,
): Promise<readonly MessageLike[]> {
  const plan = readPlan(call.plan)
  const messages = new Map<number, MessageLike>()
  for (const [from, to] of together(placesIn(plan)))
    for await (const { seq, view } of readLog(source, { from, to })) messages.set(seq, view)
  const prompt = promptOf(plan)
  const text = prompt === undefined ? undefined : await loadPrompt(source.store, source.key, prompt)
  return fromPlan(plan, seq => messages.get(seq), text)
}

/** Joins stretches that lie close together, so that the store is asked less often. */
function together(runs: readonly Run[]): readonly Run[] {
  const found: [number, number][] = []
  for (const [first, end] of [...runs].sort(([a], [b]) => a - b)) {
    const last = found.at(-1)
    if (last && first - last[1] <= 8) last[1] = Math.max(last[1], end)
    else found.push([first, end])
  }
  return found
}
