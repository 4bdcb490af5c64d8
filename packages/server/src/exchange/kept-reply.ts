import { noteToolName } from '@throughline/core/messages'
import type { LoggedMessage } from '@throughline/history'
import { listLog } from '@throughline/history/log'
import type { ChatRequest, ReplyEnd, ReplyStart } from '@throughline/models/dialects'
import type { ThreadKey } from '@throughline/stores/store'
import { isGiven } from '../identity/item.ts'
import { type Again, type Inquiry, type Log, sourceOf } from './inquiry.ts'

/** What the log keeps beside a reply, so that the response of it can be written again as it was sent. */
export interface KeptResponse
  extends Omit<ReplyStart, 'request'>,
    Pick<ReplyEnd, 'reason' | 'usage' | 'pieces' | 'logprobs'>,
    Pick<ChatRequest, 'hints'> {
  /** The place of the first message that the request gave. */
  readonly from: number
  /** The reply itself, where nothing of it can be seen: such a reply is no message of the log. */
  readonly silent?: Pick<ReplyEnd, 'text' | 'thinking'>
}

export function toKept(start: ReplyStart, end: ReplyEnd, from: number): KeptResponse {
  const { id, time, model, promptTokens } = start
  const { reason, usage, pieces, logprobs, text, thinking, calls } = end
  const isSilent = text.trim() === '' && calls.length === 0
  return {
    id,
    time,
    model,
    promptTokens,
    reason,
    usage,
    from,
    hints: start.request.hints,
    pieces,
    // An entry has room for the reply and little more.
    logprobs: logprobs && JSON.stringify(logprobs).length <= mostLogprobs ? logprobs : undefined,
    silent: isSilent ? { text, thinking } : undefined,
  }
}

/** In characters of JSON. */
const mostLogprobs = 1024 * 1024

export function keptIn({ data }: Pick<LoggedMessage, 'data'>): KeptResponse | undefined {
  return (data as { readonly response?: KeptResponse } | null | undefined)?.response
}

/** A logged reply as the writers of the adapters take it. Without a kept response, its parts are named after its entry. */
export function fromKept(
  entry: LoggedMessage,
  kept = keptIn(entry),
): { start: ReplyStart; end: ReplyEnd } {
  const { reading, id, time } = entry
  const { text, thinking, calls } = reading
  const { model = '', promptTokens = 0, hints = {}, reason = 'stop' } = kept ?? {}
  const { usage = {}, pieces, logprobs, silent } = kept ?? {}
  const request = { model, messages: [], tools: [], settings: {}, stream: false, named: {}, hints }
  return {
    start: { id: kept?.id ?? id, time: kept?.time ?? time, model, promptTokens, request },
    end: {
      reason,
      usage,
      pieces,
      logprobs,
      text,
      thinking,
      ...silent,
      calls: calls
        .filter(({ name }) => name !== noteToolName)
        .map(({ id: call = '', name, arguments: json }) => ({ id: call, name, arguments: json })),
    },
  }
}

export interface FoundReply {
  readonly thread: ThreadKey
  readonly entry: LoggedMessage
  readonly kept: KeptResponse
}

export const replyMark = (id: string) => `resp:${id}`

/** The mark of a reply that its client has deleted: marks are never removed. */
const deletedMark = (id: string) => `gone:${id}`

/** Finds a reply by its id, unless its client has deleted it, or it was given to another person than the one who asks. */
export async function findReply(log: Log, id: string): Promise<FoundReply | undefined> {
  if (id === '' || id.length > longestId) return undefined
  const places = await log.store.findMarks(log.tenant, [replyMark(id), deletedMark(id)])
  // A model that only wrote a note was asked again, for the same reply: the last of its messages is the reply.
  const [place] = places
    .filter(({ mark }) => mark === replyMark(id))
    .toSorted((a, b) => b.at - a.at)
  if (!place || places.some(({ mark }) => mark === deletedMark(id))) return undefined
  const { thread, at } = place
  const [entry] = await listLog(sourceOf(log, thread), { from: at, to: at })
  const kept = entry && keptIn(entry)
  if (!entry || kept?.id !== id || !(await isOf(log, thread.conversation, entry))) return undefined
  return { thread, entry, kept }
}

async function isOf(
  { store, tenant, history: { person } }: Log,
  only: string,
  { guest }: LoggedMessage,
) {
  if (person === undefined || guest !== undefined) return person === undefined || guest === person
  const [info] = await store.conversations(tenant, { only })
  return (info?.person ?? person) === person
}

/** From now on a reply can neither be found nor named. The log keeps what was said until its conversation is deleted. */
export async function forgetReply(
  { store }: Log,
  { thread, entry, kept }: FoundReply,
): Promise<void> {
  await store.saveMarks(thread, [{ mark: deletedMark(kept.id), at: entry.seq }])
}

/** No id of ours is longer. */
const longestId = 200

/** The answer that the log has for a request that was repeated: the same response, if it was kept as one. */
export async function storedReply(
  { log }: Inquiry,
  { thread, after }: Again,
): Promise<{ readonly start?: ReplyStart; readonly end: ReplyEnd }> {
  const rest = await listLog(sourceOf(log, thread), { from: after + 1 })
  const first = rest.findIndex(({ message, isBroken }) => message.role === 'assistant' && !isBroken)
  // A model that only wrote a note was asked again: our own answer to the note does not end the reply.
  const end = rest.findIndex((entry, at) => at > first && isGiven(entry))
  const replies = rest
    .slice(0, end < 0 ? rest.length : end)
    .filter(({ message, isBroken }) => message.role === 'assistant' && !isBroken)
  const reply = replies.findLast(entry => keptIn(entry) !== undefined)
  if (reply) {
    // Its client gets this id once more, so it must be known, whatever became of the mark.
    await log.store.saveMarks(thread, [{ mark: replyMark(keptIn(reply)!.id), at: reply.seq }])
    return fromKept(reply)
  }
  const ends = replies.filter(({ isClosing }) => !isClosing).map(entry => fromKept(entry).end)
  const calls = ends.flatMap(({ calls }) => calls)
  return {
    end: {
      reason: calls.length > 0 ? 'tool-calls' : 'stop',
      text: ends.map(({ text }) => text).join(''),
      thinking: ends.map(({ thinking }) => thinking).join(''),
      calls,
      usage: {},
    },
  }
}
