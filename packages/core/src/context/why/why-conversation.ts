import type { MessageLike } from '../../log/message.ts'
import { present } from '../../log/values.ts'
import type { TokenCounter } from '../../tokens/create-counter.ts'
import { finish } from '../compose/finish.ts'
import { isCleared } from '../conversation/clearing.ts'
import { type Conversation, readConversation } from '../conversation/conversation.ts'
import { rangeAt } from '../conversation/first-place.ts'
import { meanTurn, type Transcript } from '../conversation/transcript.ts'
import { savingOf } from '../conversation/unit.ts'
import { beginDraft } from '../draft/create-draft.ts'
import { applyPolicy } from '../draft/draft.ts'
import type { Watch } from '../draft/frame.ts'
import { findSpan } from '../draft/span.ts'
import { entryAt } from '../explain.ts'
import { checkFit, type FitOptions } from '../fit.ts'
import { makeReceipt } from '../make-receipt.ts'
import { defaultPolicy } from '../policies/recall.ts'
import type { StableCut } from '../policies/stable.ts'
import type { Search } from '../recall/choose-block.ts'
import { shareIndex } from '../recall/index-transcript.ts'
import type { ReceiptCut, ReceiptEntry, SentMessage } from '../receipt.ts'
import { cutStateOf } from '../stable/cut-state.ts'
import { plainLedger } from '../stable/ledger.ts'
import { offeredTools } from '../tools/shorten-tools.ts'
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
  /** Where the policy has cut the conversation; absent if it has not. */
  readonly cut?: ReceiptCut
  /** For a message before the cut: what recall decided. Absent where the policy does not recall. */
  readonly recall?: WhyRecall
  /** For a message that is sent as it is: when it will no longer be. Absent if it always is, or for long. */
  readonly leaving?: Leaving
}

/** When a message will leave the context. */
interface Leaving {
  /** After this many more turns, each as long as the last ones were. */
  readonly turns: number
  /** The tokens of these turns. */
  readonly tokens: number
}

/**
 * Says why a message of a list has its fate: which message asked for it and with which words, what took its room, when it
 * will leave. `seq` is its place in the list. More than `explain` says of a receipt, because it fits the list again.
 *
 * @example
 * why(chat, 20, { window: 4096 }).recall?.asking?.seq // the message that asked for it
 */
export function why(messages: readonly MessageLike[], seq: number, options: FitOptions): Why {
  return whyConversation(readConversation(messages, checkFit(messages, options)), options, seq)
}

/** Fits a conversation once more, and watches what is decided about one message. */
export function whyConversation(
  conversation: Conversation,
  fitOptions: FitOptions,
  seq: number,
): Why {
  const options = { ...fitOptions, tools: offeredTools(fitOptions).tools }
  const { system, origin } = conversation
  // Of a copy nothing is remembered, so that everything is weighed again.
  const transcript = copyTranscript(conversation.transcript)
  shareIndex(conversation.transcript, transcript)
  const trace = createTrace()
  let stable: StableCut | undefined
  const watch: Watch = (decision, left, unit, cost) => {
    if ('scores' in decision) trace.take(decision as Search, left!, unit, cost)
    else stable = decision as StableCut
  }
  const policy = options.policy ?? defaultPolicy
  const draftOf = (transcript: Transcript, told?: { readonly watch: Watch }) =>
    beginDraft({ system, transcript, origin }, options, told)
  const fitWith = (...of: Parameters<typeof draftOf>) => finish(applyPolicy(policy, draftOf(...of)))
  const finished = fitWith(transcript, { watch })
  const { frame, insertions, spans } = finished.draft
  const receipt = makeReceipt(finished, policy.name)
  const line = entryAt(receipt, seq)
  const at = seq - origin
  const index = at < 0 ? -1 : rangeAt(transcript.units, at)
  const unit = transcript.units[index]
  // A note or a result without a call, inside a stretch, has a reason of its own.
  const isOfSpan = findSpan(spans, index)?.fate === line.fate
  const place = receipt.sent.findIndex(message => textWith(message, seq))
  const { seqs = [], text } = (place >= 0 && textWith(receipt.sent[place]!, seq)) || {}
  const isProtected = index < 0 || frame.fixed.has(index)
  const entry = transcript.entries[at]
  const isLong = unit && entry && savingOf(unit.kind, entry.tokens, entry.message, frame.count) > 0
  const isWhole = seqs.includes(seq) && line.fate !== 'cleared'
  const isSent = isWhole && index >= 0 && !isAlways(transcript, index)
  const recall =
    unit && isOfSpan ? trace.explain({ frame, unit, spans, insertions, at }) : undefined
  const leaving = isSent ? findLeaving(transcript, frame.count, grown => staysIn(grown)) : undefined
  return {
    ...line,
    unit: unit
      ? { first: origin + unit.from, last: origin + unit.to - 1, tokens: unit.tokens }
      : { first: seq, last: seq, tokens: line.tokens },
    isProtected,
    ...present({ place: place < 0 ? undefined : place, text }),
    free: receipt.free,
    ...present({ cut: receipt.cut, recall, leaving }),
  }

  /** Whether the unit would still be sent as it is. Tokens alone decide about a stable cut, so nothing is searched for it. */
  function staysIn(grown: Transcript): boolean {
    if (stable?.costs.decided === '') {
      const draft = draftOf(grown)
      if (draft.tokens <= draft.capacity) return true
      const { room } = stable.costs
      const { cut, cleared, request, opening } = cutStateOf({ ...plainLedger(grown), room })
      const isIn = index >= cut || index === opening
      return index === request || (isIn && !(isLong && isCleared(grown, cleared, index)))
    }
    const { draft } = fitWith(grown)
    const isInSpan = findSpan(draft.spans, index) !== undefined && !draft.frame.fixed.has(index)
    return !isInSpan && !(isLong && isCleared(grown, draft.cleared, index))
  }
}

/** The message, or the text that was joined to it, that is a message of the input or stands for it. */
const textWith = (message: SentMessage, seq: number): SentMessage | undefined =>
  message.seqs.includes(seq)
    ? message
    : [message, ...(message.joined ?? [])].find(({ standsFor }) => standsFor.includes(seq))

/** Whether nothing is foretold of a unit: the first user message is always sent, and a system message mostly is. */
const isAlways = ({ firstUser, systems }: Transcript, unit: number) =>
  unit === firstUser || systems.includes(unit)

/** How many next turns are tried. */
const mostTurns = 64

/** Goes on turn by turn until a unit is no longer sent; undefined if it stays. The turns say nothing, so nothing is recalled. */
function findLeaving(
  transcript: Transcript,
  count: TokenCounter,
  isSent: (grown: Transcript) => boolean,
) {
  const mean = meanTurn(transcript)
  const grown = copyTranscript(transcript)
  const texts = {
    user: textOfTokens(count, mean / 3),
    assistant: textOfTokens(count, (mean * 2) / 3),
  }
  for (let turn = 1; turn <= mostTurns; turn++) {
    for (const role of ['user', 'assistant'] as const)
      grown.append({ role, content: texts[role] }, grown.entries.length)
    if (!isSent(grown)) return { turns: turn, tokens: turn * mean }
  }
  return undefined
}

/** A copy, of which nothing is remembered. */
function copyTranscript(transcript: Transcript): Transcript {
  const { entries } = transcript
  const copy = transcript.fork(entries.length)
  // A fork ends where a unit ends.
  for (let at = copy.entries.length; at < entries.length; at++) copy.append(entries[at]!.source, at)
  return copy
}

/** A text of about this many tokens without a word that recall looks for. */
function textOfTokens(count: TokenCounter, tokens: number): string {
  const word = 'so '
  const each = Math.max(1, count.text(word.repeat(100))) / 100
  return word.repeat(Math.min(100_000, Math.max(1, Math.round(tokens / each)))).trim()
}
