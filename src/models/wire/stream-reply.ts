import { parseJsonObject } from '../../log/parse-json.ts'
import type { ModelError, ModelPart } from '../model.ts'
import { type AskedServer, toWireError } from '../to-model-error.ts'
import { askServer, type Refusal, readAll } from './ask.ts'
import type { Answer, Connection } from './connection.ts'
import { type Piece, readPieces } from './read-pieces.ts'
import type { ReplyReader, ReplyWire, WrittenRequest } from './wire.ts'

interface ToStream {
  readonly connection: Connection
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
  /** Whether a stream was asked for. */
  readonly isStreamed: boolean
  /** A stream begins. */
  begin(headers: Answer['headers']): void
  /** A piece of a stream, when its parts were taken. `isEnding`: it ends the reply. */
  piece(text: string, isEnding: boolean): void | Promise<void>
  /** The piece of a stream that says that the reply has failed. */
  fault(text: string): void
  /** The whole reply, where no stream was asked for. */
  whole(text: string, headers: Answer['headers']): void
  refused(refusal: Refusal): void
}

/** Asks for a reply and reads it as it comes. The connection is closed unless the whole of it was read. */
export async function* streamReply(given: ToStream): AsyncGenerator<ModelPart> {
  const { connection, wire, server, write, signal, learn, relay } = given
  signal?.throwIfAborted()
  let answer: Answer | undefined
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
    const meant = toWireError(server, error, answer !== undefined)
    learn(meant)
    throw meant
  } finally {
    answer?.close(isWhole)
  }
}

/** The parts of an answer, those together that came together: reading them waits for nothing. */
async function* partsIn(
  answer: Answer,
  wire: ReplyWire,
  server: AskedServer,
  relay: Relay | undefined,
): AsyncGenerator<Iterable<ModelPart>> {
  if (isOnePiece(answer, wire, relay)) {
    const text = await readAll(answer, server)
    const parts = wire.readWhole(text, server)
    if (relay?.isStreamed === false) relay.whole(text, answer.headers)
    yield parts
    return
  }
  const reader = wire.read(server)
  const streamed = relay?.isStreamed ? relay : undefined
  streamed?.begin(answer.headers)
  for await (const pieces of readPieces(answer.bytes, wire.piece, server)) {
    if (streamed) yield* relayedParts(pieces, reader, streamed)
    else yield partsOf(pieces, reader)
    if (reader.isDone()) break
  }
  yield reader.end()
}

/** Whether an answer is one JSON text: because that was asked for, or because some servers do not stream. Others always do. */
function isOnePiece({ header }: Answer, { piece }: ReplyWire, relay: Relay | undefined): boolean {
  const type = header('content-type') ?? ''
  if (relay?.isStreamed === false) return !/^(?:text\/event-stream|application\/x-ndjson)/.test(type)
  return piece === 'event' && type.startsWith('application/json')
}

/** One piece after the other, so that what comes before a fault is given before it throws. */
function* partsOf(pieces: readonly Piece[], reader: ReplyReader): Generator<ModelPart> {
  for (const { data } of pieces) {
    yield* reader.read(data)
    if (reader.isDone()) return
  }
}

/** The parts of each piece, which is handed on when they were taken. */
async function* relayedParts(
  pieces: readonly Piece[],
  reader: ReplyReader,
  relay: Relay,
): AsyncGenerator<readonly ModelPart[]> {
  for (const { data, text } of pieces) {
    if (data.trim() === '') continue
    try {
      yield reader.read(data)
    } catch (error) {
      if (isFault(data)) relay.fault(text)
      throw error
    }
    await relay.piece(text, reader.isEnding())
    if (reader.isDone()) return
  }
}

/** Whether a piece says that the reply has failed, in the form of any server. What cannot be read is not handed on. */
function isFault(data: string): boolean {
  const said = parseJsonObject(data)
  return said !== undefined && ('error' in said || said.type === 'error' || said.type === 'response.failed')
}
