import { toArguments } from '@throughline/core/values'
import type { ReplyCall } from '../../model.ts'
import { sse } from '../../sse.ts'
import type { ReplyEnd, ReplyStart, ReplyStream } from '../adapter.ts'
import { replyStream, tokensOf } from '../reply-stream.ts'
import { toError } from './faults.ts'

/** Streams a reply in pieces that each have the shape of a whole answer. */
export function streamParts(start: ReplyStart): ReplyStream {
  const piece = (parts: readonly object[], rest?: object) => sse(pieceOf(start, parts, rest))
  return replyStream({
    delta: (kind, text) => {
      const parts = partsOf(start, kind === 'text' ? { text } : { thinking: text })
      return parts.length > 0 ? piece(parts) : ''
    },
    calls: calls => piece(calls.map(toCall)),
    end: end => piece([], closing(start, end)),
    fail: fault => sse(toError(fault).body),
  })
}

/** The body of an answer that is not streamed. */
export function toAnswer(start: ReplyStart, end: ReplyEnd) {
  const parts = [...partsOf(start, end), ...end.calls.map(toCall)]
  return pieceOf(start, parts, closing(start, end))
}

/** The body of a stream that is no stream of events: a list of pieces. */
export const toAnswers = (start: ReplyStart, end: ReplyEnd) => [toAnswer(start, end)]

export const toGeminiCount = (totalTokens: number) => ({ totalTokens })

interface Closing {
  readonly finishReason: string
  readonly usageMetadata: object
}

function pieceOf(start: ReplyStart, parts: readonly object[], closing?: Partial<Closing>) {
  const { finishReason, ...rest } = closing ?? {}
  const content = { role: 'model', parts }
  return {
    candidates: [{ content, ...(finishReason && { finishReason }), index: 0 }],
    ...rest,
    modelVersion: start.model,
    responseId: start.id,
  }
}

/** Thoughts are told to those who ask for them. */
function partsOf(
  start: ReplyStart,
  { thinking = '', text = '' }: Partial<ReplyEnd>,
): readonly object[] {
  const isTold = thinking !== '' && start.request.hints.tellsThoughts === true
  return [
    ...(isTold ? [{ text: thinking, thought: true }] : []),
    ...(text === '' ? [] : [{ text }]),
  ]
}

const toCall = ({ id, name, arguments: json }: ReplyCall) => ({
  functionCall: { id, name, args: toArguments(json) },
})

function closing(start: ReplyStart, end: ReplyEnd): Closing {
  const { prompt, reply, cached } = tokensOf(start, end)
  return {
    finishReason: end.reason === 'length' ? 'MAX_TOKENS' : 'STOP',
    usageMetadata: {
      promptTokenCount: prompt,
      candidatesTokenCount: reply,
      totalTokenCount: prompt + reply,
      ...(cached > 0 && { cachedContentTokenCount: cached }),
    },
  }
}
