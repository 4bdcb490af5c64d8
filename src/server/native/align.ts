import type { Context } from '../../context/context.ts'
import type { MessageLike } from '../../log/message.ts'
import { readMessage } from '../../log/parse-message.ts'
import { agreement } from '../identity/agreement.ts'
import { comparedOf } from '../identity/item.ts'

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
  readonly change?: 'altered' | 'cleared' | undefined
}

/**
 * Finds the messages of a context in the list of the client. A message of the log is known by its place: as far from its
 * neighbour as in the list. What stands there must be a copy of it. `isWhole`: the context is all that the log has, as it is,
 * and the log has nothing but the client's list.
 */
export function alignContext({ messages, receipt }: Fitted, list: readonly MessageLike[]) {
  const { sent, stretches } = receipt
  const changes = new Map<number, OwnStanding['change']>()
  let isKept = true
  for (const { fate, first, last } of stretches) {
    isKept &&= fate === 'kept'
    // What is recalled and still stands at its place stands there as a line.
    const change = fate === 'recalled' ? 'cleared' : fate
    if (change === 'altered' || change === 'cleared')
      for (let seq = first; seq <= last; seq++) changes.set(seq, change)
  }
  const logged = sent.flatMap(({ seqs }, at) => (seqs.length > 0 && seqs[0] !== 0 ? [at] : []))
  const isOnly = sent.every(({ seqs }) => seqs.length > 0)
  const roles = logged.map(at => messages[at]!.role)
  // Nothing was left out, and nothing added: each message is the one at its place.
  const isEven =
    isKept && isOnly && logged.length === list.length && roles.every((role, at) => role === list[at]!.role)
  const places = isEven ? logged.map((_, at) => at) : search(logged)
  const standings: MessageStanding[] = sent.map(({ seqs }) => ({ kind: seqs[0] === 0 ? 'system' : 'other' }))
  for (const [n, at] of logged.entries()) {
    const place = places[n]
    const { seqs } = sent[at]!
    const changed = seqs.find(seq => changes.has(seq))
    if (place !== undefined)
      standings[at] = { kind: 'own', place, change: changed === undefined ? undefined : changes.get(changed) }
  }
  return { standings, isWhole: isKept && isOnly && places.every(place => place !== undefined) }

  /** The place of a logged message: nearly always where it should stand, else the last copy of it before `end`. */
  function placeOf(message: MessageLike, seq: number, expected: number, end: number): number | undefined {
    if (expected >= 0 && isCopy(message, seq, list[expected]!)) return expected
    for (let place = end - 1; place >= Math.max(0, end - mostTries); place--)
      if (isCopy(message, seq, list[place]!)) return place
    return undefined
  }

  function search(indexes: readonly number[]): readonly (number | undefined)[] {
    const clientPlaces: (number | undefined)[] = []
    /** The message behind: its place in the list, and in the log. */
    let next = list.length
    let nextSeq = sent[indexes.at(-1) ?? -1]?.seqs[0] ?? 0
    nextSeq += 1
    for (const at of indexes.toReversed()) {
      const seq = sent[at]!.seqs[0]!
      const expected = Math.min(next - 1, next - (nextSeq - seq))
      const message = messages[at]!
      const changed = isAt(expected, message) ? expected : undefined
      const place = changes.has(seq) ? changed : placeOf(message, seq, expected, next)
      clientPlaces.push(place)
      if (place === undefined) continue
      next = place
      nextSeq = seq
    }
    return clientPlaces.toReversed()
  }

  /** Whether a changed message may be the one at a place: its text is another, so only its role and its call tell. */
  function isAt(place: number, { role, tool_call_id: call }: MessageLike): boolean {
    const { role: same, tool_call_id: answered } = list[place] ?? {}
    return same === role && (call === undefined || answered === undefined || call === answered)
  }
}

/** Clients add, leave out and change system messages as they like: these are copies only if they say the same. */
function isCopy(logged: MessageLike, seq: number, copy: MessageLike): boolean {
  const [one, other] = [comparedOf(logged, seq), comparedOf(copy, 0)]
  if (one && other) return agreement(one, other) !== undefined
  const textOf = (message: MessageLike) => readMessage(message, seq).text
  return one === other && logged.role === copy.role && textOf(logged) === textOf(copy)
}

/** How many places are compared for a message that is not where it should stand. */
const mostTries = 256
