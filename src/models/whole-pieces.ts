import { type Server, toStreamError } from './to-model-error.ts'

/** What an answer is made of: lines (Ollama), events that end with an empty line (OpenAI), or nothing smaller. */
export type Piece = 'line' | 'event' | 'answer'

/** No line of tokens, and no list of models, comes near it. */
const mostBytes = 16 * 1024 * 1024

const breaksAfter: Readonly<Record<Piece, number>> = { line: 1, event: 2, answer: Number.POSITIVE_INFINITY }

/**
 * Hands an answer on in whole pieces, however the network has cut it: clients begin to read again with every cut, which
 * for a long piece is quadratic. One that never ends fails the stream before it fills the memory.
 */
export function wholePieces(server: Server, piece: Piece): TransformStream<Uint8Array, Uint8Array> {
  const wanted = breaksAfter[piece]
  let held: Uint8Array[] = []
  let size = 0
  // Line breaks in a row.
  let breaks = 0

  /** Where the last whole piece of a chunk ends; 0 if none does. */
  function endIn(chunk: Uint8Array): number {
    let end = 0
    for (let at = 0; at < chunk.length; at += 1) {
      if (chunk[at] === lineFeed) breaks += 1
      else if (chunk[at] !== carriageReturn) breaks = 0
      if (breaks >= wanted && chunk[at] === lineFeed) end = at + 1
    }
    return end
  }

  function hold(chunk: Uint8Array): void {
    size += chunk.length
    if (size > mostBytes)
      throw toStreamError(server, `sent more than ${mostBytes} bytes where the ${piece} should have ended`)
    if (chunk.length > 0) held.push(chunk)
  }

  function take(): Uint8Array {
    const whole = new Uint8Array(size)
    let at = 0
    for (const chunk of held) {
      whole.set(chunk, at)
      at += chunk.length
    }
    held = []
    size = 0
    return whole
  }

  return new TransformStream({
    transform(chunk, controller) {
      const end = endIn(chunk)
      if (end > 0) {
        hold(chunk.subarray(0, end))
        controller.enqueue(take())
      }
      hold(chunk.subarray(end))
    },
    flush(controller) {
      if (size > 0) controller.enqueue(take())
    },
  })
}

const lineFeed = 10
const carriageReturn = 13
