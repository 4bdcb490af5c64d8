import type { LoggedMessage } from '../../history/index.ts'
import { readMessage } from '../../log/parse-message.ts'
import type { ModelUsage } from '../../models/model.ts'
import { noteToolName } from '../../notes/index.ts'
import type { ChatRequest, ReplyEnd, ReplyPiece, ReplyStart } from '../adapters/index.ts'

/** What the log keeps beside a reply, so that the response of it can be written again as it was sent. */
export interface KeptResponse {
  readonly id: string
  readonly time: number
  readonly model: string
  readonly promptTokens: number
  readonly reason: ReplyEnd['reason']
  readonly usage: ModelUsage
  readonly hints: ChatRequest['hints']
  /** The place of the first message that the request gave. */
  readonly from: number
  readonly pieces?: readonly ReplyPiece[]
  readonly logprobs?: readonly unknown[]
  /** The reply itself, where nothing of it can be seen: such a reply is no message of the log. */
  readonly silent?: Pick<ReplyEnd, 'text' | 'thinking'>
}

export function toKept(start: ReplyStart, end: ReplyEnd, from: number): KeptResponse {
  const { id, time, model, promptTokens } = start
  const { reason, usage, pieces, logprobs, text, thinking, calls } = end
  const isSilent = text.trim() === '' && calls.length === 0
  return {
    ...{ id, time, model, promptTokens, reason, usage, from },
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
export function fromKept(entry: LoggedMessage, kept = keptIn(entry)): { start: ReplyStart; end: ReplyEnd } {
  const { message, seq, id, time } = entry
  const { text, thinking, calls } = readMessage(message, seq)
  const { model = '', promptTokens = 0, hints = {}, reason = 'stop' } = kept ?? {}
  const { usage = {}, pieces, logprobs, silent } = kept ?? {}
  const request = { model, messages: [], tools: [], settings: {}, stream: false, named: {}, hints }
  return {
    start: { id: kept?.id ?? id, time: kept?.time ?? time, model, promptTokens, request },
    end: {
      ...{ reason, usage, pieces, logprobs, text, thinking, ...silent },
      calls: calls
        .filter(({ name }) => name !== noteToolName)
        .map(({ id: call = '', name, arguments: json }) => ({ id: call, name, arguments: json })),
    },
  }
}
