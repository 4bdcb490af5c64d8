import type { Context } from '@throughline/core/context'
import type { MessageLike } from '@throughline/core/messages'
import { byRequest } from '@throughline/history/hands'
import { agreement } from '../identity/agreement.ts'
import { clientMessage } from '../identity/client-message.ts'
import { comparedOf, looseText } from '../identity/item.ts'

export interface Fitted extends Pick<Context, 'receipt'> {
  readonly messages: readonly MessageLike[]
}

/** What a message of a context is to the client who sent the list. */
export type MessageStanding =
  | { readonly kind: 'system' }
  /** A message that only the log has, or that the library added. */
  | { readonly kind: 'other' }
  | OwnStanding

export interface OwnStanding {
  readonly kind: 'own'
  readonly place: number
  /** What was done to it: it got another text, or a line stands for it. */
  readonly change?: 'altered' | 'cleared'
}

/**
 * Finds the messages of a context in the client's list, by their distance from the neighbour; what stands there must be a copy.
 * `isWhole`: the context is all of the client's list, unchanged, and nothing else.
 */
export function alignContext({ messages, receipt }: Fitted, list: readonly MessageLike[]) {
  const { sent, stretches } = receipt
  const changes = changesIn(stretches)
  const isOnly = sent.every(({ seqs }) => seqs.length > 0)
  const isUnchanged = isOnly && stretches.every(({ fate }) => fate === 'kept')
  const logged = sent.flatMap(({ seqs }, at) => (seqs.length > 0 && seqs[0] !== 0 ? [at] : []))
  // Nothing was left out, and nothing added: each message is the one at its place.
  const isEven =
    isUnchanged &&
    logged.length === list.length &&
    logged.every((at, place) => messages[at]!.role === list[place]!.role)
  const standings: MessageStanding[] = sent.map(({ seqs }) => ({
    kind: seqs[0] === 0 ? 'system' : 'other',
  }))
  /** The message behind: its place in the list, and in the log. */
  let next = list.length
  let nextSeq = (sent[logged.at(-1) ?? -1]?.seqs[0] ?? 0) + 1
  let unplaced = 0
  for (let n = logged.length - 1; n >= 0; n--) {
    const at = logged[n]!
    const { seqs } = sent[at]!
    const seq = seqs[0]!
    const place = isEven
      ? n
      : placeOf(messages[at]!, seq, Math.min(next - 1, next - (nextSeq - seq)))
    if (place === undefined) {
      unplaced += 1
      continue
    }
    const changed = seqs.find(one => changes.has(one))
    standings[at] = {
      kind: 'own',
      place,
      change: changed === undefined ? undefined : changes.get(changed),
    }
    next = place
    nextSeq = seq
  }
  const isSame = sent.every(({ seqs }) => seqs.every(seq => !changes.has(seq)))
  return { standings, isWhole: isOnly && isSame && unplaced === 0 && logged.length === list.length }

  /** The place of a logged message: nearly always where it should stand, else the last copy of it before the next one. */
  function placeOf(message: MessageLike, seq: number, expected: number): number | undefined {
    if (changes.has(seq)) return isAt(expected, message) ? expected : undefined
    if (expected >= 0 && isCopy(message, seq, list[expected]!)) return expected
    for (let place = next - 1; place >= Math.max(0, next - mostTries); place--)
      if (isCopy(message, seq, list[place]!)) return place
    return undefined
  }

  /** Whether a changed message may be the one at a place: its text is another, so only its role and its call tell. */
  function isAt(place: number, { role, tool_call_id: call }: MessageLike): boolean {
    const { role: same, tool_call_id: answered } = list[place] ?? {}
    return same === role && (call === undefined || answered === undefined || call === answered)
  }
}

/**
 * What was done to the entries that are not sent as they are. What is recalled and still stands at its place is a line there. What
 * its client words anew is its client's own.
 */
function changesIn(
  stretches: Fitted['receipt']['stretches'],
): ReadonlyMap<number, OwnStanding['change']> {
  const changes = new Map<number, OwnStanding['change']>()
  for (const { fate, rule, first, last } of stretches) {
    const change = fate === 'recalled' ? 'cleared' : fate
    if (rule === byRequest) continue
    if (change === 'altered' || change === 'cleared')
      for (let seq = first; seq <= last; seq++) changes.set(seq, change)
  }
  return changes
}

/** Clients add, leave out and change system messages as they like: these are copies only if they say the same. */
function isCopy(logged: MessageLike, seq: number, copy: MessageLike): boolean {
  const [said, again] = [clientMessage(logged, seq), clientMessage(copy, 0)]
  const [one, other] = [comparedOf(said), comparedOf(again)]
  if (one && other) return agreement(one, other) !== undefined
  return one === other && looseText(said.reading) === looseText(again.reading)
}

/** How many places are compared for a message that is not where it should stand. */
const mostTries = 256
