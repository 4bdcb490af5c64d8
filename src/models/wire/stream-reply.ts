import { parseJsonObject } from '../../log/parse-json.ts'
import type { ModelError, ModelPart } from '../model.ts'
import { type AskedServer, toStreamError, toWireError } from '../to-model-error.ts'
import { askServer, type Refusal, readAll } from './ask.ts'
import type { HttpAnswer, ServerConnection } from './connection.ts'
import { readPieces, type WirePiece } from './read-pieces.ts'
import type { ReplyWire, WrittenRequest } from './wire.ts'

interface StreamRequest {
  readonly connection: ServerConnection
  readonly wire: ReplyWire
  readonly server: AskedServer
  write(): WrittenRequest | Promise<WrittenRequest>
  readonly signal: AbortSignal | undefined
  /** Called with what the stream is about to throw, unless that is the reason of the signal. */
  learn(error: ModelError): void
  readonly relay?: Relay | undefined
}

/** Takes what a server answers as it is, beside the parts that are read from it. */
export interface Relay {
  readonly isStreamed: boolean
  begin(headers: HttpAnswer['headers']): void
  /** A piece of a stream, when its parts were taken. `isEnding`: it ends the reply. */
  piece(text: string, isEnding: boolean): void | Promise<void>
  /** The piece of a stream that says that the reply has failed. */
  fault(text: string): void
  whole(text: string, headers: HttpAnswer['headers']): void
  refused(refusal: Refusal): void
}

/** Asks for a reply and reads it as it comes. The connection is closed unless the whole of it was read. */
export async function* streamReply(request: StreamRequest): AsyncGenerator<ModelPart> {
  const { connection, wire, server, write, signal, learn, relay } = request
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
  }
}

/** The parts of an answer, those together that came together: reading them waits for nothing. */
async function* partsIn(answer: HttpAnswer, wire: ReplyWire, server: AskedServer, relay: Relay | undefined) {
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
function isOnePiece({ header }: HttpAnswer, { piece }: ReplyWire, relay: Relay | undefined): boolean {
  const type = header('content-type') ?? ''
  if (relay?.isStreamed === false) return !/^(?:text\/event-stream|application\/x-ndjson)/.test(type)
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
    isEnding: () => state() !== 'open',
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
    await relay.piece(text, reader.isEnding())
    if (reader.isOver()) return
  }
}

/** Whether a piece says that the reply has failed, in the form of any server. What cannot be read is not handed on. */
function isFault(data: string): boolean {
  const json = parseJsonObject(data)
  return json !== undefined && ('error' in json || json.type === 'error' || json.type === 'response.failed')
}
