import { checkPart } from '../../models/check-part.ts'
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
  readonly hear: Hear
  readonly read: (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<ModelPart>
}

/** Streams a reply of an upstream. The connection is closed unless the whole of it was read. */
export async function* streamParts(streamed: Streamed): AsyncGenerator<ModelPart> {
  const { connection, server, question, signal, windows, hear, read } = streamed
  signal?.throwIfAborted()
  let close: ((isWhole: boolean) => void) | undefined
  let isWhole = false
  try {
    const answer = await connection.ask(await question(), server)
    close = answer.close
    for await (const part of read(answer.bytes)) {
      isWhole = part.type === 'end'
      yield checkPart(part, server)
      if (!isWhole) signal?.throwIfAborted()
    }
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    const meant = toWireError(server, error, close !== undefined)
    windows.learn(server.model, meant)
    if (meant.tokens) hear({ tokens: meant.tokens })
    throw meant
  } finally {
    close?.(isWhole)
  }
}

/** The texts of whole lines or events; one text may hold several. */
export async function* textsOf(
  bytes: AsyncIterable<Uint8Array>,
  server: Server,
  piece: Piece,
): AsyncGenerator<string> {
  const joiner = joinPieces(server, piece)
  const decoder = new TextDecoder()
  for await (const chunk of bytes) {
    const whole = joiner.add(chunk)
    if (whole) yield decoder.decode(whole)
  }
  const rest = joiner.rest()
  if (rest) yield decoder.decode(rest)
}
