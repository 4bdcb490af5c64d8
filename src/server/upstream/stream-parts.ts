import { checkPart } from '../../models/check-part.ts'
import type { LearnedFiles } from '../../models/leave-out.ts'
import type { ModelPart } from '../../models/model.ts'
import { type Server, toWireError } from '../../models/to-model-error.ts'
import { joinPieces, type Piece } from '../../models/whole-pieces.ts'
import type { Connection, Question } from './connection.ts'
import type { Hear } from './upstream.ts'
import type { WindowMemory } from './window-memory.ts'

interface Streamed {
  readonly connection: Connection
  readonly server: Server
  /** Makes the request. What it throws is the model's refusal. */
  readonly question: () => Question | Promise<Question>
  readonly signal: AbortSignal | undefined
  /** Learn from a refusal of the model. */
  readonly windows: WindowMemory<unknown>
  readonly files: LearnedFiles
  readonly hear: Hear
  readonly reader: PartReader
}

/** Reads an answer as it comes. Many parts come at once, so reading them waits for nothing. */
export interface PartReader {
  readonly piece: Piece
  /** The parts of a text that holds whole pieces. What comes before a fault is given before it throws. */
  read(text: string): Iterable<ModelPart>
  /** Whether the answer is over, whatever may follow. */
  isDone(): boolean
  /** What can be told only at the end; throws if that came too early. */
  end(): Iterable<ModelPart>
}

/** Streams a reply of an upstream. The connection is closed unless the whole of it was read. */
export async function* streamParts(streamed: Streamed): AsyncGenerator<ModelPart> {
  const { connection, server, question, signal, windows, files, hear, reader } = streamed
  signal?.throwIfAborted()
  let close: ((isWhole: boolean) => void) | undefined
  let isWhole = false
  try {
    const answer = await connection.ask(await question(), server)
    close = answer.close
    for await (const parts of partsIn(answer.bytes, server, reader)) {
      for (const part of parts) {
        isWhole = part.type === 'end'
        yield checkPart(part, server)
        if (!isWhole) signal?.throwIfAborted()
      }
    }
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    const meant = toWireError(server, error, close !== undefined)
    windows.learn(server.model, meant)
    files.learnFrom(meant)
    if (meant.tokens) hear({ tokens: meant.tokens })
    throw meant
  } finally {
    close?.(isWhole)
  }
}

/** The parts of an answer, those together that came together. */
async function* partsIn(
  bytes: AsyncIterable<Uint8Array>,
  server: Server,
  reader: PartReader,
): AsyncGenerator<Iterable<ModelPart>> {
  const joiner = joinPieces(server, reader.piece)
  const decoder = new TextDecoder()
  for await (const chunk of bytes) {
    const whole = joiner.add(chunk)
    if (whole) yield reader.read(decoder.decode(whole))
    if (reader.isDone()) break
  }
  const rest = reader.isDone() ? undefined : joiner.rest()
  if (rest) yield reader.read(decoder.decode(rest))
  yield reader.end()
}
