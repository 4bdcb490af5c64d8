import { ThroughlineError } from '@throughline/core/errors'
import { shownWindow, toModelTokens } from '@throughline/core/tokens'
import { present } from '@throughline/core/values'
import { sseHeaders } from '@throughline/models/http'
import { faultOf } from '../fault-of.ts'
import type { TurnPart } from '../turn/reply.ts'
import { textWriter, toReadable } from '../turn/stream/to-readable.ts'
import { createCallNames } from './call-names.ts'
import { toValue } from './to-value.ts'
import type { UIChunk, UIContext } from './ui-chunk.ts'

/** What a client gets of a reply. */
export interface UIMessageStreamOptions {
  /** The id that the message gets at the client. Default: the client makes one. */
  readonly messageId?: string
  /** Goes into the metadata of the message when it begins, beside what `finish` adds: which instance answers, say. */
  readonly messageMetadata?: Readonly<Record<string, unknown>>
  /** Whether the client gets what the model thinks. Default true. */
  readonly sendReasoning?: boolean
  /** The text of an error for the client. Default: the message of our own errors, and no word of others. */
  readonly onError?: (error: unknown) => string
}

/**
 * Turns a reply into a UI message stream of the AI SDK, for `useChat`. Notes are no part of it. A reader who cancels the
 * stream cancels the turn.
 *
 * @example
 * const reply = chat.send('Hello!', { conversation: 'ada' })
 * return createUIMessageStreamResponse({ stream: toUIMessageStream(reply) })
 */
export function toUIMessageStream(
  reply: AsyncIterable<TurnPart>,
  options: UIMessageStreamOptions = {},
): ReadableStream<UIChunk> {
  const parts = reply[Symbol.asyncIterator]()
  // The reply itself is left: its chunks wait for the part that is being made.
  return toReadable(toChunks(parts, options), chunk => chunk, { onEnd: () => parts.return?.() })
}

/** What a client gets of a reply, and the head of the response. */
export interface UIMessageStreamResponseOptions extends UIMessageStreamOptions {
  /** The status of the response. Default 200. */
  readonly status?: number
  /** Headers of the response, besides those of the stream. */
  readonly headers?: ConstructorParameters<typeof Headers>[0]
}

/**
 * Turns a reply into the response that `useChat` expects. Where the conversation is stored, `createUIChatHandler` does the rest
 * too: it takes edited messages, goes on after a reload, and keeps users apart.
 *
 * @example
 * export const POST = async (request: Request) => {
 *   const { messages } = await request.json()
 *   return toUIMessageStreamResponse(chat.respond(await convertToModelMessages(messages)))
 * }
 */
export function toUIMessageStreamResponse(
  reply: AsyncIterable<TurnPart>,
  { status = 200, headers, ...options }: UIMessageStreamResponseOptions = {},
): Response {
  const all = new Headers(uiMessageStreamHeaders)
  for (const [name, value] of new Headers(headers)) all.set(name, value)
  const parts = reply[Symbol.asyncIterator]()
  async function* events() {
    for await (const chunk of toChunks(parts, options)) yield toEvent(chunk)
    yield lastEvent
  }
  return new Response(toReadable(events(), textWriter(), { onEnd: () => parts.return?.() }), {
    status,
    headers: all,
  })
}

/** The headers by which `useChat` and proxies recognise the stream. */
export const uiMessageStreamHeaders = {
  ...sseHeaders,
  'x-vercel-ai-ui-message-stream': 'v1',
} as const

export const toEvent = (chunk: UIChunk) => `data: ${JSON.stringify(chunk)}\n\n`

export const lastEvent = 'data: [DONE]\n\n'

/** The chunks of a reply. Each model call is a step. */
export async function* toChunks(
  parts: AsyncIterator<TurnPart>,
  {
    messageId,
    messageMetadata,
    sendReasoning = true,
    onError = errorText,
  }: UIMessageStreamOptions = {},
): AsyncGenerator<UIChunk, void> {
  const step = createStep()
  const calls = createCallIds()
  let hasFailed = false
  yield { type: 'start', ...present({ messageId, messageMetadata }) }
  try {
    for (let next = await parts.next(); !next.done; next = await parts.next()) {
      const part = next.value
      switch (part.type) {
        case 'context':
          yield* step.begin()
          yield { type: 'data-context', id: 'context', data: toContext(part) }
          break
        case 'text-delta':
          yield* step.say('text', part.text)
          break
        case 'thinking-delta':
          if (sendReasoning) yield* step.say('reasoning', part.text)
          break
        case 'tool-call': {
          yield* step.call()
          const { name: toolName, arguments: json } = part
          const toolCallId = calls.called(part.id)
          yield { type: 'tool-input-available', toolCallId, toolName, input: toValue(json) }
          break
        }
        case 'tool-result': {
          const toolCallId = calls.answered(part.id)
          // A client takes no result without its call.
          if (toolCallId === undefined) break
          step.results()
          const { text, isError } = part
          if (isError) yield { type: 'tool-output-error', toolCallId, errorText: text }
          else yield { type: 'tool-output-available', toolCallId, output: toValue(text) }
          break
        }
        case 'warning': {
          const { code, message } = part
          yield { type: 'data-warning', data: { code, message }, transient: true }
          break
        }
        case 'error':
          hasFailed = true
          yield* step.end()
          yield { type: 'error', errorText: onError(part.error) }
          break
        case 'end': {
          yield* step.end()
          const { status, turn, branch, usage } = part
          if (status === 'cancelled') yield { type: 'abort' }
          else
            yield {
              type: 'finish',
              finishReason: hasFailed ? 'error' : status === 'open' ? 'tool-calls' : 'stop',
              messageMetadata: { ...present({ turn, branch }), usage },
            }
          break
        }
        case 'note':
          break
      }
    }
  } catch (error) {
    yield* step.end()
    yield { type: 'error', errorText: onError(error) }
  }
}

function createStep() {
  let isOpen = false
  /** A client drops steps without content. */
  let state: 'empty' | 'said' | 'answered' = 'empty'
  let text: { readonly kind: 'text' | 'reasoning'; readonly id: string } | undefined
  let texts = 0

  function* open(): Generator<UIChunk> {
    if (state === 'answered') yield* end()
    if (isOpen) return
    isOpen = true
    yield { type: 'start-step' }
  }

  function* closeText(): Generator<UIChunk> {
    if (text) yield { type: `${text.kind}-end`, id: text.id }
    text = undefined
  }

  function* end(): Generator<UIChunk> {
    yield* closeText()
    if (isOpen) yield { type: 'finish-step' }
    isOpen = false
    state = 'empty'
  }

  return {
    /** A call of the model begins; one that is made again before anything came is the same step. */
    *begin(): Generator<UIChunk> {
      if (state !== 'empty') yield* end()
      yield* open()
    },
    *say(kind: 'text' | 'reasoning', delta: string): Generator<UIChunk> {
      yield* open()
      state = 'said'
      if (text?.kind !== kind) {
        yield* closeText()
        texts += 1
        text = { kind, id: `${kind}-${texts}` }
        yield { type: `${kind}-start`, id: text.id }
      }
      yield { type: `${kind}-delta`, id: text.id, delta }
    },
    *call(): Generator<UIChunk> {
      yield* open()
      yield* closeText()
      state = 'said'
    },
    results(): void {
      state = 'answered'
    },
    end,
  }
}

/** Gives ids to calls that have none or that of another, and knows which calls wait for a result. */
function createCallIds() {
  const nameOf = createCallNames()
  /** The names of calls that wait, by their ids. */
  const waiting = new Map<string, string>()
  const nameless: string[] = []
  let made = 0
  return {
    called(callId: string): string {
      const id = callId === '' ? `call-${++made}` : callId
      if (callId === '') nameless.push(id)
      const name = nameOf(id)
      waiting.set(id, name)
      return name
    },
    answered(callId: string): string | undefined {
      const id = (callId === '' ? nameless.shift() : callId) ?? ''
      const name = waiting.get(id)
      waiting.delete(id)
      return name
    },
  }
}

const mostRecalled = 100

/** In the tokens of the window that was set; a receipt has our own counts. */
function toContext(part: Extract<TurnPart, { type: 'context' }>): UIContext {
  const { receipt, window, reserve, factor } = part
  const { policy, counts, stretches } = receipt
  const tokens = toModelTokens(receipt.tokens, factor)
  const recalled: number[] = []
  for (const { fate, first, last } of stretches) {
    if (fate !== 'recalled') continue
    for (let seq = first; seq <= last && recalled.length < mostRecalled; seq++) recalled.push(seq)
  }
  return { policy, tokens, window: shownWindow(window), reserve, counts, recalled }
}

/** Other errors may hold anything: addresses, paths, a part of the prompt. */
export const errorText = (error: unknown) =>
  error instanceof ThroughlineError
    ? faultOf(error).message
    : 'An error occurred: see the log of the server.'
