import { InvalidOptionError, showValue } from '../../log/error.ts'
import { finish } from '../compose/finish.ts'
import type { FitOptions } from '../context.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { firstPlace } from '../conversation/first-place.ts'
import type { Transcript } from '../conversation/transcript.ts'
import { checkPolicy, createDraft, fullDraft } from '../draft/draft.ts'
import { createFrame, type Frame } from '../draft/frame.ts'
import { findSpan } from '../draft/span.ts'
import { makeReceipt } from '../make-receipt.ts'
import { defaultPolicy } from '../policies/recall.ts'
import type { Search } from '../recall/choose-block.ts'
import { shareIndex } from '../recall/index-transcript.ts'
import type { ReceiptCut, ReceiptEntry } from '../receipt.ts'
import { type Fold, foldTranscript, type Room } from '../stable/fold.ts'
import { copyTranscript, findLeaving, type Leaving } from './find-leaving.ts'
import { createTrace, type WhyRecall } from './why-recall.ts'

/** Why a message has its fate: the line of the receipt, and what the decision was made of. */
export interface Why extends ReceiptEntry {
  /** The messages that are sent or left out together with it, and their tokens. */
  readonly unit: { readonly first: number; readonly last: number; readonly tokens: number }
  /** Whether it is sent whatever the policy does. */
  readonly isProtected: boolean
  /** Its place among the messages of the context, in whatever form; absent if it is not sent. */
  readonly place?: number
  /** The text that was added to the context and stands for it, or has it among others. */
  readonly text?: string
  /** The unused tokens of the context. */
  readonly free: number
  readonly cut?: ReceiptCut
  /** For a message before the cut: what recall decided. Absent where the policy does not recall. */
  readonly recall?: WhyRecall
  /** For a message that is sent as it is: when it will no longer be. Absent if it always is, or for long. */
  readonly leaving?: Leaving
}

/** Fits a conversation once more, and watches what is decided about one message. */
export function whyConversation(given: Conversation, options: FitOptions, seq: number): Why {
  const { system } = given
  // Of a copy nothing is remembered, so that everything is weighed again.
  const transcript = copyTranscript(given.transcript)
  shareIndex(given.transcript, transcript)
  const trace = createTrace()
  let stable: { readonly fold: Fold; readonly room: Room } | undefined
  const frame: Frame = {
    ...createFrame({ system, transcript }, options),
    watch(decision, left, unit, cost) {
      if ('fold' in decision) stable = decision as typeof stable
      else trace.take(decision as Search, left!, unit, cost)
    },
  }
  const policy = options.policy ?? defaultPolicy
  checkPolicy(policy)
  const fitWith = (given: Frame) => finish(fullDraft(policy.apply(createDraft(given).as(policy.name)), given))
  const finished = fitWith(frame)
  const receipt = makeReceipt(finished, policy.name)
  const line = receipt.entries[seq]
  if (!line)
    throw new InvalidOptionError(
      'seq',
      `expected the place of a message, 0 to ${receipt.entries.length - 1}, got ${showValue(seq)}`,
    )
  const at = seq - system.length
  const index = at < 0 ? -1 : firstPlace(transcript.units.length, place => transcript.units[place]!.to > at)
  const unit = transcript.units[index]
  const { insertions, spans } = finished.draft
  // A note or a result without a call, inside a stretch, has a reason of its own.
  const isOfSpan = findSpan(spans, index)?.fate === line.fate
  const stands = isOfSpan
    ? insertions.find(({ of }) => of.some(({ from, to }) => from <= index && index < to))
    : undefined
  const added = receipt.inserted.find(({ part, text }) =>
    line.fate === 'moved' ? part === 'notes' : text === stands?.text,
  )
  const sent = finished.pieces.findIndex(({ seqs }) => seqs.includes(seq))
  const place = sent >= 0 ? sent : added?.place
  const isProtected = index < 0 || frame.fixed.has(index)
  const isSent = sent >= 0 && index >= 0 && !isAlways(transcript, index)
  const recall = unit && isOfSpan ? trace.explain({ frame, unit, spans, insertions, at }) : undefined
  const leaving = isSent && findLeaving(transcript, frame.count, grown => staysIn(grown))
  return {
    ...line,
    unit: unit
      ? { first: system.length + unit.from, last: system.length + unit.to - 1, tokens: unit.tokens }
      : { first: seq, last: seq, tokens: line.tokens },
    isProtected,
    ...(place !== undefined && { place }),
    ...(added && sent < 0 && { text: added.text }),
    free: receipt.free,
    ...(receipt.cut && { cut: receipt.cut }),
    ...(recall && { recall }),
    ...(leaving && { leaving }),
  }

  /** Whether the unit would still be sent as it is. Tokens alone decide about a stable cut, so nothing is searched for it. */
  function staysIn(grown: Transcript): boolean {
    if (stable) return index >= foldTranscript(grown, stable.room).cut
    const { draft } = fitWith(createFrame({ system, transcript: grown }, options))
    return draft.isKept(grown.units[index]!) && findSpan(draft.spans, index) === undefined
  }
}

/** Whether a unit is sent for ever: the first user message, and system messages. */
const isAlways = ({ firstUser, systems }: Transcript, unit: number) =>
  unit === firstUser || systems.includes(unit)
