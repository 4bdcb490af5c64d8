import { listLog } from '../../history/log/read-log.ts'
import { ThroughlineError } from '../../log/error.ts'
import type { Model } from '../../models/model.ts'
import { ConflictError, LeaseError } from '../../stores/store-error.ts'
import { linkSignals, type ModelReply, type TurnPart } from '../../turn/index.ts'
import type { Face, FaceFault, ReplyEnd, ReplyStart, ReplyStream } from '../faces/index.ts'
import { toFault } from '../to-fault.ts'
import type { Hear, WireFacts } from '../upstream/upstream.ts'
import { type Answered, type AnswerOptions, answer } from './answer.ts'
import type { Asked } from './asked.ts'
import { findPlace } from './find-place.ts'
import { replyMark } from './find-reply.ts'
import { inPieces } from './in-pieces.ts'
import { fromKept, keptIn, toKept } from './kept-response.ts'
import { type OpenedTurn, openTurn } from './open-turn.ts'
import type { Again, Place } from './place.ts'

/** What became of a request. */
export interface Outcome {
  readonly place?: Place | Again
  readonly answered?: Answered
  readonly fault?: FaceFault
}

export interface ToServe {
  readonly asked: Asked
  readonly face: Face
  readonly requestId: string
  readonly modelFor: (name: string, hear: Hear) => Model
  readonly options: AnswerOptions
  readonly now: () => number
  /** Called once, when the request is over. */
  readonly tell: (outcome: Outcome) => void
  /** Called once, when nothing more is to be sent. */
  readonly leave: () => void
  /** How long a client may leave a stream unread before it counts as gone. */
  readonly unreadMs: number
}

/** Answers a request of a client on its face. The answer begins when the model does: before that, a failure has its status. */
export async function respond(given: ToServe): Promise<Response> {
  const { face, requestId, unreadMs, leave } = given
  const client = linkSignals(given.asked.signal)
  const asked = { ...given.asked, signal: client.signal }
  let entered: Entered
  try {
    entered = await enter(asked)
  } catch (error) {
    leave()
    return refuse(given, error)
  }
  const { place } = entered
  const headers = {
    'x-request-id': requestId,
    'x-throughline-conversation': encodeURIComponent(place.thread.conversation),
    'x-throughline-branch': encodeURIComponent(place.thread.branch),
  }
  const writer = asked.request.stream
    ? streamWriter(face, { signal: asked.signal, unreadMs, giveUp: client.abort }, headers)
    : wholeWriter(face, requestId, headers)
  // The work goes on behind the response, and is closed however it ends.
  void serve({ ...given, asked }, entered, writer).finally(leave)
  return writer.response
}

type Entered =
  | { readonly place: Place; readonly opened: OpenedTurn }
  | { readonly place: Again; readonly opened?: undefined }

/** How often others may get ahead between finding a place and taking it. */
const mostTries = 5

/** Finds the place of a request and takes it. Somebody who takes it first may make it a place for a branch. */
async function enter(asked: Asked): Promise<Entered> {
  for (let tries = 1; ; tries++) {
    const place = await findPlace(asked)
    if (place.kind === 'again') return { place }
    try {
      return { place, opened: await openTurn(asked, place) }
    } catch (error) {
      const isTaken = error instanceof LeaseError || error instanceof ConflictError
      if (!isTaken || tries >= mostTries) throw error
    }
  }
}

function refuse({ face, requestId, tell }: ToServe, error: unknown): Response {
  const fault = toFault(error)
  tell({ fault })
  return faultResponse(face, fault, requestId, { 'x-request-id': requestId })
}

async function serve(given: ToServe, { place, opened }: Entered, writer: Writer): Promise<void> {
  const { asked, face, modelFor, options, now, tell } = given
  const { request, newId } = asked
  const facts = createFacts()
  const start = (promptTokens = 0): ReplyStart => ({
    id: newId(),
    time: now(),
    model: request.model,
    request,
    promptTokens,
  })
  try {
    if (!opened) {
      const { start: stored, end } = await storedReply(asked, place)
      tell({ place })
      return await writer.end(stored ? { ...stored, request } : start(end.usage.promptTokens), end)
    }
    let begun: ReplyStart | undefined
    const pieces = createPieces()
    const emit = async (part: TurnPart) => {
      if (part.type === 'context') {
        // A model may be asked more than once for one reply, which keeps its id.
        begun = { ...start(part.receipt.tokens), ...(begun && { id: begun.id, time: begun.time }) }
        pieces.clear()
      } else if (part.type === 'text-delta') {
        pieces.add('text', part.text)
        await writer.text(begun!, part.text, facts.logprobs())
      } else if (part.type === 'thinking-delta') {
        pieces.add('thinking', part.text)
        await writer.thinking(begun!, part.text)
      }
    }
    const endOf = (reply: ModelReply): ReplyEnd => ({
      ...toEnd(reply),
      ...facts.end(),
      ...(request.stream && pieces.inOrder()),
    })
    const isNamed = face.name === 'responses' && request.named.isStored !== false
    const answered = await answer(asked, opened, {
      model: modelFor(request.model, facts.hear),
      options,
      emit,
      ...(isNamed && {
        dataOf: reply => ({ response: toKept(begun!, endOf(reply), place.isDelta ? opened.first : 1) }),
      }),
    })
    const { result, reply, at } = answered
    if (isNamed && reply && at !== undefined)
      await asked.log.store.saveMarks(opened.thread.key, [{ mark: replyMark(begun!.id), at }])
    tell({ place, answered })
    if (reply) await writer.end(begun!, endOf(reply))
    else await writer.fail(toFault(result.error ?? asked.signal.reason))
  } catch (error) {
    const fault = toFault(error)
    tell({ place, fault })
    await writer.fail(fault)
  }
}

function toEnd({ text, thinking, calls, usage, reason }: ModelReply): ReplyEnd {
  return { text, thinking, calls, usage, reason }
}

/** The answer that the log has for a request that was repeated: the same response, if it was kept as one. */
async function storedReply(
  { log }: Asked,
  { thread, after }: Again,
): Promise<{ readonly start?: ReplyStart; readonly end: ReplyEnd }> {
  const source = { store: log.store, key: thread, count: log.history.count }
  const rest = await listLog(source, { from: after + 1 })
  const first = rest.findIndex(({ message }) => message.role === 'assistant')
  const reply = rest[first]
  if (reply && keptIn(reply)) return fromKept(reply)
  const end = rest.findIndex(
    ({ message: { role } }, at) => at > first && (role === 'user' || role === 'tool'),
  )
  const replies = (end < 0 ? rest : rest.slice(0, end)).filter(
    ({ message, isClosing }) => message.role === 'assistant' && !isClosing,
  )
  const said = replies.map(entry => fromKept(entry).end)
  const calls = said.flatMap(({ calls }) => calls)
  return {
    end: {
      reason: calls.length > 0 ? 'tool-calls' : 'stop',
      text: said.map(({ text }) => text).join(''),
      thinking: said.map(({ thinking }) => thinking).join(''),
      calls,
      usage: {},
    },
  }
}

/** Follows how texts and thoughts take turns. */
function createPieces() {
  const pieces: ['text' | 'thinking', number][] = []
  return {
    add(kind: 'text' | 'thinking', { length }: string): void {
      if (length === 0) return
      const last = pieces.at(-1)
      if (last?.[0] === kind) last[1] += length
      else pieces.push([kind, length])
    },
    clear(): void {
      pieces.length = 0
    },
    /** The pieces, if they are not simply thoughts and then a text. */
    inOrder: () => (pieces.length > 2 || pieces[1]?.[0] === 'thinking' ? { pieces: [...pieces] } : {}),
  }
}

/** Gathers what the wire said beside the parts. */
function createFacts() {
  const logprobs: unknown[] = []
  const all: unknown[] = []
  let details: WireFacts['details']
  return {
    hear(facts: WireFacts): void {
      for (const one of facts.logprobs ?? []) {
        logprobs.push(one)
        all.push(one)
      }
      details = facts.details ?? details
    },
    logprobs: () => (logprobs.length > 0 ? logprobs.splice(0) : undefined),
    end: () => ({ ...(all.length > 0 && { logprobs: all }), ...(details && { details }) }),
  }
}

/** Takes a reply as it comes, and makes a response of it. */
interface Writer {
  readonly response: Promise<Response>
  text(start: ReplyStart, delta: string, logprobs?: readonly unknown[]): void | Promise<void>
  thinking(start: ReplyStart, delta: string): void | Promise<void>
  end(start: ReplyStart, end: ReplyEnd): void | Promise<void>
  fail(fault: FaceFault): void | Promise<void>
}

function wholeWriter(face: Face, requestId: string, headers: Readonly<Record<string, string>>): Writer {
  const { promise, resolve } = withResolvers<Response>()
  return {
    response: promise,
    text() {},
    thinking() {},
    end: (start, end) => resolve(Response.json(face.whole(start, end), { headers })),
    fail: fault => resolve(faultResponse(face, fault, requestId, headers)),
  }
}

/** How long a stream may be silent: some clients give up after 30 s. */
const idleMs = 10_000

interface Reading {
  /** Aborted when the client has left. */
  readonly signal: AbortSignal
  readonly unreadMs: number
  /** Counts a client that does not read as one that has left. */
  readonly giveUp: (reason: Error) => void
}

function streamWriter(
  face: Face,
  { signal, unreadMs, giveUp }: Reading,
  headers: Readonly<Record<string, string>>,
): Writer {
  const { promise, resolve } = withResolvers<Response>()
  const encoder = new TextEncoder()
  let stream: ReplyStream | undefined
  let controller!: ReadableStreamDefaultController<Uint8Array>
  let drained = () => {}
  let isOver = false
  let idle: NodeJS.Timeout | undefined

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

  const isFull = () => (controller.desiredSize ?? 0) <= 0
  signal.addEventListener('abort', () => drained(), { once: true })

  /** Sends a text, and waits while the client does not read. */
  function send(text: string): void | Promise<void> {
    if (isOver || text === '') return
    controller.enqueue(encoder.encode(text))
    idle?.refresh()
    if (!isFull() || signal.aborted) return
    return new Promise(resolve => {
      const unread = setTimeout(cut, unreadMs)
      drained = () => {
        clearTimeout(unread)
        resolve()
      }
    })
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
    idle = setInterval(() => isFull() || void send(stream!.idle()), idleMs)
    return stream
  }

  function close(): void {
    clearInterval(idle)
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
