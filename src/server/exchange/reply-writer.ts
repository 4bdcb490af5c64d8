import { ThroughlineError } from '../../log/error.ts'
import type { Face, FaceFault, ReplyEnd, ReplyStart, ReplyStream } from '../faces/index.ts'
import { inPieces } from './in-pieces.ts'

/** Takes a reply as it comes, and makes a response of it. */
export interface ReplyWriter {
  readonly response: Promise<Response>
  text(start: ReplyStart, delta: string, logprobs?: readonly unknown[]): void | Promise<void>
  thinking(start: ReplyStart, delta: string): void | Promise<void>
  end(start: ReplyStart, end: ReplyEnd): void | Promise<void>
  fail(fault: FaceFault): void | Promise<void>
}

export function wholeWriter(
  face: Face,
  requestId: string,
  headers: Readonly<Record<string, string>>,
): ReplyWriter {
  const { promise, resolve } = withResolvers<Response>()
  return {
    response: promise,
    text() {},
    thinking() {},
    end: (start, end) => resolve(Response.json(face.whole(start, end), { headers })),
    fail: fault => resolve(faultResponse(face, fault, requestId, headers)),
  }
}

interface Reading {
  /** Aborted when the client has left. */
  readonly signal: AbortSignal
  readonly unreadMs: number
  /** How long a stream may be silent: some clients give up after 30 s. */
  readonly keepAliveMs: number
  /** Counts a client that does not read as one that has left. */
  readonly giveUp: (reason: Error) => void
}

export function streamWriter(
  face: Face,
  { signal, unreadMs, keepAliveMs, giveUp }: Reading,
  headers: Readonly<Record<string, string>>,
): ReplyWriter {
  const { promise, resolve } = withResolvers<Response>()
  const encoder = new TextEncoder()
  let stream: ReplyStream | undefined
  let controller!: ReadableStreamDefaultController<Uint8Array>
  let drained = () => {}
  let isOver = false
  let idle: NodeJS.Timeout | undefined
  /** Texts of this moment, which are sent as one: many parts come at once, and each write costs more than its text. */
  let waiting = ''

  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given
      },
      pull: () => drained(),
      cancel() {
        isOver = true
        drained()
      },
    },
    { highWaterMark: 64 * 1024, size: chunk => chunk?.byteLength ?? 0 },
  )

  const isFull = () => (controller.desiredSize ?? 0) <= waiting.length
  signal.addEventListener('abort', () => drained(), { once: true })

  /** Sends a text, and waits while the client does not read. */
  function send(text: string): void | Promise<void> {
    if (isOver || text === '') return
    if (waiting === '') process.nextTick(flush)
    waiting += text
    if (!isFull() || signal.aborted) return
    return new Promise(resolve => {
      const unread = setTimeout(cut, unreadMs)
      drained = () => {
        clearTimeout(unread)
        resolve()
      }
    })
  }

  function flush(): void {
    if (isOver || waiting === '') return
    controller.enqueue(encoder.encode(waiting))
    waiting = ''
    idle?.refresh()
  }

  /** Closes the connection of a client that does not read. */
  function cut(): void {
    const error = new ThroughlineError('client_unread', `The client has read nothing for ${unreadMs} ms.`)
    clearInterval(idle)
    isOver = true
    controller.error(error)
    giveUp(error)
  }

  function open(start: ReplyStart): ReplyStream {
    if (stream) return stream
    stream = face.stream(start)
    const type = { 'content-type': face.streamType, 'cache-control': 'no-cache', 'x-accel-buffering': 'no' }
    resolve(new Response(body, { headers: { ...headers, ...type, ...inPieces } }))
    void send(stream.start())
    // A client that does not read needs no sign of life.
    idle = setInterval(() => isFull() || void send(stream!.idle()), keepAliveMs)
    return stream
  }

  function close(): void {
    clearInterval(idle)
    flush()
    if (isOver) return
    isOver = true
    controller.close()
  }

  return {
    response: promise,
    text: (start, delta, logprobs) => send(open(start).text(delta, logprobs)),
    thinking: (start, delta) => send(open(start).thinking(delta)),
    end(start, end) {
      const isReplay = !stream
      const writer = open(start)
      if (isReplay && end.thinking !== '') void send(writer.thinking(end.thinking))
      if (isReplay && end.text !== '') void send(writer.text(end.text))
      if (end.calls.length > 0) void send(writer.calls(end.calls))
      void send(writer.end(end))
      close()
    },
    fail(fault) {
      if (stream) {
        void send(stream.fail(fault))
        close()
      } else {
        isOver = true
        resolve(faultResponse(face, fault, headers['x-request-id'] ?? '', headers))
      }
    },
  }
}

export function faultResponse(
  face: Pick<Face, 'fault'>,
  fault: FaceFault,
  requestId: string,
  headers: Readonly<Record<string, string>>,
): Response {
  const { status, body } = face.fault(fault, requestId)
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

/** `Promise.withResolvers`, which Node has since 22. */
function withResolvers<Value>() {
  let resolve!: (value: Value) => void
  const promise = new Promise<Value>(given => {
    resolve = given
  })
  return { promise, resolve }
}
