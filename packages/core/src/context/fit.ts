import { InvalidOptionError, type OptionNames, refuseUnknown, showValue } from '../log/error.ts'
import { isUnchanged } from '../log/looks.ts'
import type { MessageLike } from '../log/message.ts'
import { attempt } from '../log/values.ts'
import type { PlainMessage } from '../log/write-message.ts'
import { type Finished, finish } from './compose/finish.ts'
import { checkInvariants } from './compose/invariants.ts'
import {
  type Conversation,
  forgetConversation,
  readConversation,
} from './conversation/conversation.ts'
import { movedNotes, totalTokens } from './draft/cost.ts'
import { beginDraft } from './draft/create-draft.ts'
import { applyPolicy, type Policy } from './draft/draft.ts'
import type { Frame } from './draft/frame.ts'
import {
  checkOptions,
  counterOf,
  type FrameOptions,
  frameNames,
  keepsPrompt,
} from './draft/frame-options.ts'
import { makeReceipt } from './make-receipt.ts'
import { defaultPolicy } from './policies/recall.ts'
import { learnedIn, type PromptLayout } from './prompt/prompt-layout.ts'
import { type GivenPart, orderTools } from './prompt/split-prompt.ts'
import type { Receipt, SharedPrefix } from './receipt.ts'
import { offeredTools } from './tools/shorten-tools.ts'

/** How a conversation is fitted. Only the window is needed. */
export interface FitOptions extends FrameOptions {
  /** Decides what is left out when not everything fits. Default `defaultPolicy`. */
  readonly policy?: Policy
  /** The context of the previous call: the receipt then says how much of the prompt's beginning is the same. */
  readonly previous?: PreviousContext
}

export const fitNames: OptionNames<FitOptions> = { ...frameNames, policy: 1, previous: 1 }

/** The previous call's context, or the part of it that was kept. */
export interface PreviousContext {
  readonly messages: readonly object[]
  readonly receipt?: { readonly parts: { readonly tools: number } }
}

/** The message list for one model call, with its receipt. */
export interface Context<M extends MessageLike = MessageLike> {
  /** The caller's own objects wherever a message was kept, and a few plain messages that the library adds. */
  readonly messages: (M | PlainMessage)[]
  /** What all messages and tool schemas cost by the counter: the same as `receipt.tokens`. */
  readonly tokens: number
  /** What became of every message, and why. */
  readonly receipt: Receipt
  /** The tool schemas that are sent, if any; where `systemPrompt` keeps the prompt the same, in the order of the first time. */
  readonly tools?: readonly unknown[]
  /** Where `systemPrompt` is not `'as sent'`: what is known of the system prompt. Pass it to the conversation's next `fit`. */
  readonly promptLayout?: PromptLayout
  /** What of it was not known before. A history stores it with the turn. */
  readonly learned?: PromptLayout
  /** The system prompt as it was given, where changing lines were taken out of it. */
  readonly given?: readonly GivenPart[]
}

/**
 * Fits a conversation into a window and accounts for every message of it.
 * Pure: the same messages and options give the same context; nothing that is passed in is changed.
 *
 * @example
 * const { messages, receipt } = fit(chat, { window: 4096, reserve: 512 })
 */
export function fit<M extends MessageLike>(
  messages: readonly M[],
  options: FitOptions,
): Context<M> {
  const count = checkFit(messages, options)
  const conversation = readConversation(messages, count)
  const readAgain = () => {
    forgetConversation(conversation, count)
    return readConversation(messages, count)
  }
  return fitReading(conversation, readAgain, options)
}

/** Throws InvalidOptionError for what cannot be fitted. Gives the counter. */
export function checkFit(messages: readonly MessageLike[], options: FitOptions) {
  refuseUnknown(options, fitNames)
  checkOptions(options)
  if (Array.isArray(messages)) return counterOf(options)
  throw new InvalidOptionError('messages', `expected a list, got ${showValue(messages)}`)
}

/** Fits a conversation. If a message was changed in place since it was read, everything is read again first. */
export function fitReading<M extends MessageLike>(
  conversation: Conversation,
  readAgain: () => Conversation,
  options: FitOptions,
): Context<M> {
  const context = fitConversation<M>(conversation, options)
  if (context) return context
  // The previous context is unknown too: it may have had the changed message.
  const { previous: _, ...rest } = options
  return readWhole(fitConversation(readAgain(), rest))
}

/** Returns the context of freshly read messages; a message that has changed again already is not a plain object. */
export function readWhole<Fitted>(context: Fitted | undefined): Fitted {
  if (context) return context
  throw new InvalidOptionError('messages', 'a message changes while it is read: pass plain objects')
}

/** Fits a conversation as it was read; undefined when a message in the context was changed in place since. */
export function fitConversation<M extends MessageLike>(
  conversation: Conversation,
  options: FitOptions,
  rest?: Frame['rest'],
): Context<M> | undefined {
  const policy = options.policy ?? defaultPolicy
  const { draft, tools, saved, learned } = begin(conversation, options, rest)
  const finished = finish(applyPolicy(policy, draft))
  if (!isAsRead(finished)) return undefined
  checkInvariants(finished, policy.name)
  const prefix = options.previous && sharedPrefix(finished, options.previous)
  return {
    messages: finished.pieces.map(piece => piece.raw as M),
    tokens: finished.tokens,
    receipt: makeReceipt(finished, policy.name, prefix, saved),
    ...(tools.length > 0 && { tools }),
    ...(keepsPrompt(options.systemPrompt) &&
      layoutOf(finished.draft.frame, learned, options.promptLayout)),
  }
}

/** The draft that the policy begins with, its tools, and what is learned of their order. */
function begin(conversation: Conversation, options: FitOptions, rest: Frame['rest']) {
  const { promptLayout: layout, tools: offered = [], systemPrompt } = options
  const ordered = keepsPrompt(systemPrompt)
    ? orderTools(offered, layout?.tools)
    : { tools: offered, ids: [] }
  const beginWith = (all: readonly unknown[], isWhole: boolean) => {
    const { tools, saved } = offeredTools({ ...options, tools: all })
    const draft = beginDraft(conversation, { ...options, tools }, { rest }, isWhole)
    return { draft, tools, saved, learned: ordered.ids }
  }
  if (systemPrompt === 'when cut' || options.quoteNotes === 'when cut') {
    const whole = beginWith(systemPrompt === 'when cut' ? offered : ordered.tools, true)
    // A last exchange of which a part is cut does not fit either.
    const { tokens, capacity, frame } = whole.draft
    if (tokens <= capacity && frame.exchange.size === 0) return whole
  }
  return beginWith(ordered.tools, false)
}

/** What is known of the system prompt after this context. */
function layoutOf({ changing }: Frame, tools: readonly string[], layout?: PromptLayout) {
  const promptLayout = { ...layout, ...changing?.layout, ...(tools.length > 0 && { tools }) }
  return { promptLayout, learned: learnedIn(promptLayout, layout), given: changing?.given }
}

/** Whether the messages of the context are as they were read. Others are checked when used: a longer past must cost no more. */
function isAsRead({ draft, pieces }: Finished): boolean {
  const { frame, spans, units } = draft
  const { entries } = frame.transcript
  const isFreshAt = (at: number) => {
    const entry = at < 0 ? frame.system.at(at)! : entries[at]!
    // An entry that is not in memory cannot have been changed by a caller.
    return !Object.hasOwn(entry, 'looks') || isUnchanged(entry.looks, entry.source)
  }
  let at = 0
  return (
    // Protected messages may stand between left-out ones.
    pieces.every(({ seqs }) => seqs.every(seq => isFreshAt(seq - frame.origin))) &&
    movedNotes(frame, spans).every(isFreshAt) &&
    [...spans, { fate: 'omitted', from: units.length, to: units.length }].every(
      ({ fate, from, to }) => {
        if (fate !== 'omitted') return true
        const end = units[from]?.from ?? entries.length
        while (at < end && isFreshAt(at)) at += 1
        const isFreshSpan = at >= end
        at = units[to]?.from ?? end
        return isFreshSpan
      },
    )
  )
}

/** The common beginning of a context and the previous one, which a model server with a prompt cache need not read again. */
function sharedPrefix(
  { pieces, tokens, draft }: Finished,
  { messages, receipt }: PreviousContext,
): SharedPrefix {
  const { frame } = draft
  // Tools stand at the beginning of a prompt: if they differ, nothing is shared.
  const isSameStart =
    (receipt?.parts.tools ?? 0) === frame.toolTokens && isSame(pieces[0]?.raw, messages[0])
  const differs = pieces.findIndex((piece, place) => !isSame(piece.raw, messages[place]))
  const same = differs < 0 ? pieces : pieces.slice(0, differs)
  const shared = isSameStart ? totalTokens(frame, same) : 0
  return { tokens: Math.min(shared, tokens), share: tokens > 0 ? Math.min(1, shared / tokens) : 1 }
}

function isSame(a: object | undefined, b: object | undefined): boolean {
  // Messages that cannot be written as JSON count as different.
  return a === b || attempt(() => JSON.stringify(a) === JSON.stringify(b), false)
}
