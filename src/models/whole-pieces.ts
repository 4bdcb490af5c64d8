import { type Server, toStreamError } from './to-model-error.ts'

/** The pieces of an answer: lines (Ollama), events that end with an empty line (OpenAI), or the whole answer. */
export type Piece = 'line' | 'event' | 'answer'

/** Far more than any line of tokens or list of models. */
const mostBytes = 16 * 1024 * 1024

const breaksAfter: Readonly<Record<Piece, number>> = { line: 1, event: 2, answer: Number.POSITIVE_INFINITY }

/** Joins what the network has cut into whole pieces. A piece that never ends throws before it fills the memory. */
export interface PieceJoiner {
  /** All pieces that end in this chunk, as one; undefined if none does. */
  add(chunk: Uint8Array): Uint8Array | undefined
  /** What came after the last whole piece. */
  rest(): Uint8Array | undefined
}

export function joinPieces(server: Server, piece: Piece): PieceJoiner {
  const wanted = breaksAfter[piece]
  let held: Uint8Array[] = []
  let size = 0
  // Consecutive line breaks.
  let breaks = 0

  /** The end of the last whole piece in a chunk; 0 if there is none. */
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

  function take(): Uint8Array | undefined {
    if (size === 0) return undefined
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

  return {
    add(chunk) {
      const end = endIn(chunk)
      if (end > 0) hold(chunk.subarray(0, end))
      const whole = end > 0 ? take() : undefined
      hold(chunk.subarray(end))
      return whole
    },
    rest: take,
  }
}

/**
 * Passes an answer on in whole pieces, however the network has cut it: clients parse from the start of a piece with every
 * cut, which is quadratic.
 */
export function wholePieces(server: Server, piece: Piece): TransformStream<Uint8Array, Uint8Array> {
  const joiner = joinPieces(server, piece)
  const pass = (whole: Uint8Array | undefined, to: TransformStreamDefaultController<Uint8Array>) => {
    if (whole) to.enqueue(whole)
  }
  return new TransformStream({
    transform: (chunk, controller) => pass(joiner.add(chunk), controller),
    flush: controller => pass(joiner.rest(), controller),
  })
}

const lineFeed = 10
const carriageReturn = 13
