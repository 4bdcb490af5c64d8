import {
  createDraft,
  type Draft,
  defaultPolicy,
  type FitOptions,
  type Policy,
  withProtected,
} from '@throughline/core/context'
import {
  type Conversation,
  isOrdinary,
  keepLatest,
  type Transcript,
} from '@throughline/core/conversation'
import type { TokenCounter } from '@throughline/core/counters'
import type { MessageLike } from '@throughline/core/messages'
import { copyTranscript, unitAt } from './copy-transcript.ts'
import type { Hand } from './hand-entry.ts'

/** The hands of a log, each with the place of the entry that has them. */
export type PlacedHands = readonly (readonly [seq: number, hands: readonly Hand[]])[]

/** What a person wants of a conversation: the places of messages that are always sent, and of those that are never. */
export type HandState = Readonly<Record<'pinned' | 'hidden', readonly number[]>>

/** What holds when an entry is the last. Of two hands on one message the later counts. `isNow`: what was done since holds too. */
export function handsAt(
  placed: PlacedHands,
  at = Number.POSITIVE_INFINITY,
  isNow = false,
): HandState {
  const latest = new Map<number, Hand['does']>()
  for (const [place, hands] of placed)
    if (isNow || place <= at)
      for (const { does, seq } of hands) if (does !== 'erase' && seq <= at) latest.set(seq, does)
  const placesOf = (wanted: Hand['does']) =>
    [...latest].flatMap(([seq, does]) => (does === wanted ? [seq] : [])).sort((a, b) => a - b)
  return { pinned: placesOf('pin'), hidden: placesOf('hide') }
}

/** What a branch takes along of what was done after the place where it begins, about messages that it shares. */
export function carriedHands(placed: PlacedHands, at: number): readonly Hand[] {
  const before = handsAt(placed, at)
  const after = handsAt(placed)
  const shared = (seqs: readonly number[]) => seqs.filter(seq => seq <= at)
  const [pinned, hidden] = [new Set(after.pinned), new Set(after.hidden)]
  return [
    ...shared(after.pinned).map(seq => ({ does: 'pin', seq }) as const),
    ...shared(after.hidden).map(seq => ({ does: 'hide', seq }) as const),
    ...[...before.pinned, ...before.hidden]
      .filter(seq => !pinned.has(seq) && !hidden.has(seq))
      .map(seq => ({ does: 'free', seq }) as const),
  ]
}

/** A conversation and options as a person wants them: what is hidden is not there, what is pinned is protected. */
export function applyHands<View extends Conversation, Options extends Pick<FitOptions, 'policy'>>(
  view: View,
  options: Options,
  { pinned, hidden }: HandState,
  count: TokenCounter,
): { readonly view: View; readonly options: Options } {
  const { meaning, quotes } = view.transcript
  const transcript = hidden.length === 0 ? view.transcript : withoutHidden(view, hidden, count)
  Object.assign(transcript, { meaning, quotes })
  const policy =
    pinned.length === 0 ? options.policy : pinning(options.policy ?? defaultPolicy, pinned)
  return { view: { ...view, transcript }, options: policy ? { ...options, policy } : options }
}

/** A policy that finds the units of some places protected. */
export function pinning(policy: Policy, seqs: readonly number[]): Policy {
  return { ...policy, apply: draft => policy.apply(protectPins(draft, seqs)) }
}

export const pin = { rule: 'pinned', why: 'pinned by you' }

/** A pinned message is whole, also where the last exchange is clipped. */
function protectPins<M extends MessageLike>(draft: Draft<M>, seqs: readonly number[]): Draft<M> {
  const { frame } = draft
  const units = seqs
    .map(seq => unitAt(frame, seq))
    .filter(unit => unit !== undefined && isOrdinary(unit))
  const pinned = new Map(units.map(unit => [unit!.index, pin]))
  const exchange = new Map([...frame.exchange].filter(([unit]) => !pinned.has(unit)))
  const made = createDraft(withProtected({ ...frame, exchange }, [...pinned])).as(draft.rule)
  return made as Draft as Draft<M>
}

const latest = keepLatest<Transcript, Transcript>()

/** A copy without the hidden units. Their room stays charged until the cut passes, so earlier ones stay. */
function withoutHidden(view: Conversation, seqs: readonly number[], count: TokenCounter) {
  const { transcript, origin } = view
  return latest(transcript, `${[transcript.entries.length, origin, ...seqs]}`, () => {
    const left = new Map<number, typeof hide>()
    for (const seq of seqs) {
      const unit = unitAt(view, seq)
      if (unit && isOrdinary(unit)) left.set(unit.index, hide)
    }
    return copyTranscript(view, { left, isCharged: true }, count)
  })
}

const hide = { rule: 'hidden', why: 'hidden by you' }
