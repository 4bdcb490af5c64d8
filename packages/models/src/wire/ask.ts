import { parseJson, parseJsonObject } from '@throughline/core/values'
import { ModelError, type ModelPart } from '../model.ts'
import { readFault, readStart } from '../read-fault.ts'
import type { AskedServer } from '../to-model-error.ts'
import {
  isGoodStatus,
  isSoundStatus,
  toSendError,
  toStatusError,
  toStreamError,
  toWireError,
} from '../to-model-error.ts'
import type { HttpAnswer, ServerConnection } from './connection.ts'
import { checkSize, readPieces, type WirePiece } from './read-pieces.ts'
import type { Refusal, ReplyPhase, ReplyWire, ServerQuestion, WrittenRequest } from './wire.ts'

/** The answer to a request, if its status is good; else throws what the server said. */
async function askServer(
  connection: ServerConnection,
  server: AskedServer,
  { path, body, headers, signal, onRefused }: ServerQuestion,
  isFact = false,
): Promise<HttpAnswer> {
  signal?.throwIfAborted()
  const answer = await connection
    .send({
      path,
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      body: body === undefined || isWritten(body) ? body : JSON.stringify(body),
      signal,
      isFact,
    })
    .catch((error: unknown) => {
      signal?.throwIfAborted()
      throw toSendError(server, error)
    })
  if (isGoodStatus(answer.status)) return answer
  const text = await readStart(answer.bytes)
  answer.close(false)
  if (isSoundStatus(answer.status))
    onRefused?.({ status: answer.status, headers: answer.headers, text })
  signal?.throwIfAborted()
  throw toStatusError(server, answer, readFault(text))
}

const isWritten = (body: unknown): body is string | Uint8Array<ArrayBuffer> =>
  typeof body === 'string' || body instanceof Uint8Array

/** A JSON answer of limited size. `isFact`: whether no model is needed for it. */
export async function askJson(
  connection: ServerConnection,
  server: AskedServer,
  question: ServerQuestion,
  isFact = true,
): Promise<unknown> {
  const { path, signal } = question
  const answer = await askServer(connection, server, question, isFact)
  let text = ''
  let isWhole = false
  try {
    text = await readAll(answer, server)
    isWhole = true
  } catch (error) {
    signal?.throwIfAborted()
    throw toWireError(server, error, true)
  } finally {
    answer.close(isWhole)
  }
  const value = parseJson(text)
  if (value !== undefined) return value
  if (!isFact) throw toStreamError(server, 'sent an answer that cannot be read')
  throw new ModelError('model_refused', `${server.name} gave no JSON at ${path}.`)
}

async function readAll({ bytes }: Pick<HttpAnswer, 'bytes'>, server: AskedServer): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    checkSize(server, size, 'answer')
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** The answer to a question; undefined if the server refuses it or does not know it. Throws if it may answer later. */
export async function ifKnown<Answer>(
  question: () => Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return await question()
  } catch (error) {
    if (error instanceof ModelError && !error.isRetryable) return undefined
    throw error
  }
}

/** Takes what a server answers as it is, beside the parts that are read from it. */
export interface Relay {
  readonly isStreamed: boolean
  begin(headers: HttpAnswer['headers']): void
  /** A piece of a stream, when its parts were taken, with the phase of the reply after it. */
  piece(text: string, phase: ReplyPhase): void | Promise<void>
  /** The piece of a stream that says that the reply has failed. */
  fault(text: string): void
  whole(text: string, headers: HttpAnswer['headers']): void
  refused(refusal: Refusal): void
}

/** Asks for a reply and reads it as it comes. The connection is closed unless the whole of it was read. */
export async function* streamReply(request: {
  readonly connection: ServerConnection
  readonly wire: ReplyWire
  readonly server: AskedServer
  write(): WrittenRequest | Promise<WrittenRequest>
  readonly signal: AbortSignal | undefined
  /** Called with what the stream is about to throw, unless that is the reason of the signal. */
  learn(error: ModelError): void
  /** Called when the answer is over, however it ended. */
  over(): void
  readonly relay?: Relay | undefined
}): AsyncGenerator<ModelPart> {
  const { connection, wire, server, write, signal, learn, over, relay } = request
  signal?.throwIfAborted()
  let answer: HttpAnswer | undefined
  let isWhole = false
  try {
    const onRefused = (refusal: Refusal) => relay?.refused(refusal)
    answer = await askServer(connection, server, { ...(await write()), signal, onRefused })
    for await (const parts of partsIn(answer, wire, server, relay)) {
      for (const part of parts) {
        isWhole = part.type === 'end'
        yield part
        if (!isWhole) signal?.throwIfAborted()
      }
    }
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    const wireError = toWireError(server, error, answer !== undefined)
    learn(wireError)
    throw wireError
  } finally {
    answer?.close(isWhole)
    over()
  }
}

/** The parts of an answer, those together that came together: reading them waits for nothing. */
async function* partsIn(
  answer: HttpAnswer,
  wire: ReplyWire,
  server: AskedServer,
  relay: Relay | undefined,
) {
  const reader = pieceReader(wire, server)
  if (isOnePiece(answer, wire, relay)) {
    const text = await readAll(answer, server)
    const parts = wire.readWhole
      ? wire.readWhole(parseJsonObject(text), server)
      : [...reader.read(text), ...reader.end()]
    if (relay?.isStreamed === false) relay.whole(text, answer.headers)
    yield parts
    return
  }
  const streamed = relay?.isStreamed ? relay : undefined
  streamed?.begin(answer.headers)
  for await (const pieces of readPieces(answer.bytes, wire.piece, server)) {
    if (streamed) yield* relayedParts(pieces, reader, streamed)
    else yield partsOf(pieces, reader)
    if (reader.isOver()) break
  }
  yield reader.end()
}

/** Whether an answer is one JSON text: because that was asked for, or because some servers do not stream. Others always do. */
function isOnePiece(
  { header }: HttpAnswer,
  { piece }: ReplyWire,
  relay: Relay | undefined,
): boolean {
  const type = header('content-type') ?? ''
  if (relay?.isStreamed === false)
    return !/^(?:text\/event-stream|application\/x-ndjson)/.test(type)
  return piece === 'event' && type.startsWith('application/json')
}

type PieceReader = ReturnType<typeof pieceReader>

function pieceReader(wire: ReplyWire, server: AskedServer) {
  const { read, state, end } = wire.read(server)
  let isOver = false
  return {
    read(data: string): readonly ModelPart[] {
      const text = data.trim()
      isOver ||= text === wire.lastEvent || state() === 'over'
      if (isOver || text === '') return []
      const event = parseJsonObject(text)
      if (event) return read(event)
      const piece = wire.piece === 'line' ? 'a line' : 'an event'
      throw toStreamError(server, `sent ${piece} that cannot be read`)
    },
    phase: state,
    isOver: () => isOver || state() === 'over',
    end,
  }
}

/** Reads piece by piece, so that the parts before a fault are given before it throws. */
function* partsOf(pieces: readonly WirePiece[], reader: PieceReader): Generator<ModelPart> {
  for (const { data } of pieces) {
    yield* reader.read(data)
    if (reader.isOver()) return
  }
}

/** The parts of each piece, which is handed on when they were taken. */
async function* relayedParts(pieces: readonly WirePiece[], reader: PieceReader, relay: Relay) {
  for (const { data, text } of pieces) {
    if (data.trim() === '') continue
    try {
      yield reader.read(data)
    } catch (error) {
      if (isFault(data)) relay.fault(text)
      throw error
    }
    await relay.piece(text, reader.phase())
    if (reader.isOver()) return
  }
}

/** Whether a piece says that the reply has failed, in the form of any server. What cannot be read is not handed on. */
function isFault(data: string): boolean {
  const json = parseJsonObject(data)
  return (
    json !== undefined &&
    ('error' in json || json.type === 'error' || json.type === 'response.failed')
  )
}
