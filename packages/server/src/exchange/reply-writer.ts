import { type TurnPart, textWriter, toReadable } from '@throughline/chat/turn'
import { withResolvers } from '@throughline/chat/waiting'
import { countFates } from '@throughline/core/explain'
import { isUnknownWindow, toModelTokens, unknownWindowWords } from '@throughline/core/tokens'
import {
  type Adapter,
  type AdapterFault,
  type ChatRequest,
  type ReplyEnd,
  type ReplyStart,
  type ReplyStream,
  signOfLife,
} from '@throughline/models/dialects'
import { sseHeaders } from '@throughline/models/http'
import { ModelError } from '@throughline/models/model'
import { type Refusal, windowSources } from '@throughline/models/wire'
import type { ThreadKey } from '@throughline/stores/store'
import type { NativeReply } from '../native/native-reply.ts'
import { toFault } from '../to-fault.ts'
import type { ReplyRun } from './runner.ts'

export interface ReplyWriter {
  readonly response: Promise<Response>
  text(start: ReplyStart, delta: string, logprobs?: readonly unknown[]): void | Promise<void>
  thinking(start: ReplyStart, delta: string): void | Promise<void>
  end(start: ReplyStart, end: ReplyEnd): void | Promise<void>
  fail(fault: AdapterFault): void | Promise<void>
  /** A piece of a stream in the words of the upstream. `headers`: of its answer. */
  passed(start: ReplyStart, text: string, headers: ResponseHeaders): void | Promise<void>
  /** The end of a stream, or a whole answer, in the words of the upstream. */
  passedEnd(start: ReplyStart, text: string, headers: ResponseHeaders): void | Promise<void>
  /** Another answer in place of this one, of which nothing was written. */
  instead(response: Response): void
  /** The upstream has refused the request: the client reads in what words. */
  refused(refusal: Refusal): void
}

type ResponseHeaders = Readonly<Record<string, string>>

export const placeHeaders = (
  requestId: string,
  { conversation, branch }: ThreadKey,
): ResponseHeaders => ({
  'x-request-id': requestId,
  'x-throughline-conversation': encodeURIComponent(conversation),
  'x-throughline-branch': encodeURIComponent(branch),
})

/** Names the kinds of tools and items that the upstream cannot be sent. */
export const leftOutHeader = ({ leftOut = [] }: Pick<ChatRequest, 'leftOut'>): ResponseHeaders =>
  leftOut.length === 0 ? {} : { 'x-throughline-left-out-kinds': leftOut.join(', ').slice(0, 1000) }

/** Headers that say what was sent to the model. Messages that are only named, or in one line with others, count as left out. */
export function contextHeaders(
  { receipt, window, factor }: ContextPart,
  windowFrom: string | undefined,
): ResponseHeaders {
  const { kept, altered, moved, recalled, cleared, digested, omitted } = countFates(
    receipt.stretches,
    1,
  )
  const tokens = toModelTokens(receipt.tokens, factor)
  const pieces = receipt.sent.flatMap(one => [one, ...(one.joined ?? [])])
  const quoted = pieces.reduce((sum, { remembered }) => sum + (remembered?.quotes.length ?? 0), 0)
  const figures = {
    tokens,
    kept: kept + altered + moved,
    recalled: recalled + quoted,
    'left-out': cleared + digested + omitted,
    read: tokens - toModelTokens(receipt.prefix?.tokens ?? 0, factor),
  }
  const facts = { ...figures, ...windowHeaders(window, windowFrom) }
  return Object.fromEntries(
    Object.entries(facts).map(([name, fact]) => [`x-throughline-${name}`, String(fact)]),
  )
}

/** The window and from where it is known, or that it is unknown. */
const windowHeaders = (window: number, from: string = windowSources.set) =>
  isUnknownWindow(window) ? { 'window-from': unknownWindowWords } : { window, 'window-from': from }

type ContextPart = Extract<TurnPart, { readonly type: 'context' }>

export function wholeWriter(
  adapter: Adapter,
  requestId: string,
  headers: ResponseHeaders,
): ReplyWriter {
  const { promise, resolve } = withResolvers<Response>()
  return {
    response: promise,
    text() {},
    thinking() {},
    end: (start, end) => resolve(Response.json(adapter.whole(start, end), { headers })),
    fail: fault => resolve(faultResponse(adapter, fault, requestId, headers)),
    passed() {},
    passedEnd: (_, text, relayed) =>
      resolve(relay({ status: 200, text, headers: relayed }, headers)),
    refused: refusal => resolve(relay(refusal, headers)),
    instead: resolve,
  }
}

/** How long a stream may stand still. */
export interface StreamLimits {
  /** How long a client may leave a stream unread before it is cut off. Default 2 minutes. */
  readonly unreadMs: number
  /** After how much silence a stream sends a sign of life: some clients give up after 30 s. Default 15 s. */
  readonly keepAliveMs: number
}

/** The response begins when the model does: a failure before that has its status. */
export function streamWriter(
  adapter: Adapter,
  requestId: string,
  /** `signal` is aborted when no client waits for the reply any longer; `abort` ends it for a client that does not read. */
  { signal, abort }: Pick<ReplyRun, 'signal' | 'abort'>,
  { unreadMs, keepAliveMs: ms }: StreamLimits,
  headers: ResponseHeaders,
): ReplyWriter {
  const { promise, resolve } = withResolvers<Response>()
  const texts = createPipe(signal)
  let stream: ReplyStream | undefined

  function open(start: ReplyStart, relayed?: ResponseHeaders): ReplyStream {
    if (stream) return stream
    const opened = adapter.stream(start)
    stream = opened
    const body = toReadable(texts, textWriter(), {
      unreadMs,
      keepAlive: { ms, item: () => signOfLife(adapter, opened) },
      onEnd(reason) {
        texts.end()
        if (reason) abort(reason)
      },
    })
    const type = { ...sseHeaders, 'content-type': adapter.streamType }
    resolve(
      new Response(body, {
        headers: { ...onwards(relayed ?? {}), ...headers, ...type, ...inPieces },
      }),
    )
    if (!relayed) void texts.push(opened.start())
    return opened
  }

  return {
    response: promise,
    text: (start, delta, logprobs) => texts.push(open(start).text(delta, logprobs)),
    thinking: (start, delta) => texts.push(open(start).thinking(delta)),
    end(start, end) {
      const isReplay = !stream
      const writer = open(start)
      if (isReplay && end.thinking !== '') void texts.push(writer.thinking(end.thinking))
      if (isReplay && end.text !== '') void texts.push(writer.text(end.text))
      if (end.calls.length > 0) void texts.push(writer.calls(end.calls))
      void texts.push(writer.end(end))
      texts.end()
    },
    fail(fault) {
      if (stream) void texts.push(stream.fail(fault))
      else resolve(faultResponse(adapter, fault, requestId, headers))
      texts.end()
    },
    passed(start, text, relayed) {
      open(start, relayed)
      return texts.push(text)
    },
    passedEnd(start, text, relayed) {
      open(start, relayed)
      void texts.push(text)
      texts.end()
    },
    refused(refusal) {
      resolve(relay(refusal, headers))
      texts.end()
    },
    instead(response) {
      resolve(response)
      texts.end()
    },
  }
}

/** The headers of an upstream's answer for a client that gets it unpacked, in pieces of our own. */
function onwards({
  'content-length': _,
  'content-encoding': __,
  ...rest
}: ResponseHeaders): ResponseHeaders {
  return rest
}

/** An answer in the words of the upstream. */
const relay = ({ status, text, headers: relayed }: Refusal, headers: ResponseHeaders): Response =>
  new Response(text, { status, headers: { ...onwards(relayed), ...headers } })

/** Without it `@hono/node-server` waits for the first pieces of a stream, and sends those of a broken one as the whole. */
export const inPieces = { 'transfer-encoding': 'chunked' } as const

/** In characters. */
const mostWaiting = 64 * 1024

/** Hands texts to one reader, waiting ones as one: each write costs more than its text. `push` waits for a slow reader. */
function createPipe(signal: AbortSignal) {
  let waiting = ''
  let isOver = false
  let came = () => {}
  let read = () => {}
  signal.addEventListener('abort', () => read(), { once: true })
  return {
    push(text: string): void | Promise<void> {
      if (isOver || text === '') return
      waiting += text
      came()
      if (waiting.length < mostWaiting || signal.aborted) return
      return new Promise(resolve => {
        read = resolve
      })
    },
    end(): void {
      isOver = true
      came()
      read()
    },
    async next(): Promise<IteratorResult<string>> {
      if (waiting === '' && !isOver)
        await new Promise<void>(resolve => {
          came = () => {
            came = () => {}
            process.nextTick(resolve)
          }
        })
      const value = waiting
      waiting = ''
      read()
      return value === '' ? { done: true, value: undefined } : { done: false, value }
    },
  }
}

export function faultResponse(
  adapter: Pick<Adapter, 'fault'>,
  fault: AdapterFault,
  requestId: string,
  headers: ResponseHeaders,
): Response {
  const { status, body } = adapter.fault(fault, requestId)
  const { retryAfterMs, isRetryable } = fault
  return Response.json(body, {
    status,
    headers: {
      ...headers,
      ...(retryAfterMs !== undefined && { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) }),
      // The client library of OpenAI obeys it.
      ...(isRetryable !== undefined && { 'x-should-retry': String(isRetryable) }),
    },
  })
}

/** Tells the client what failed, in the words of the upstream if it was the upstream. */
export async function writeFailure(
  writer: ReplyWriter,
  start: ReplyStart,
  error: unknown,
  native: NativeReply | undefined,
): Promise<void> {
  const upstream = error instanceof ModelError ? native : undefined
  const words = upstream?.fault()
  const refusal = upstream?.refusal()
  if (words !== undefined) await writer.passedEnd(start, words, {})
  else if (refusal) writer.refused(refusal)
  else await writer.fail(toFault(error))
}
