import type { Server } from '../to-model-error.ts'
import { lineReader } from './read-lines.ts'

/**
 * Passes on the readable lines of a stream, up to the one that is `done`. The client would print and skip a bad line; here
 * a bad line, an error and an early end fail the stream. The failure is reported, and stands in the stream as an error
 * line: throwing it would lose the lines before it that are not yet read.
 */
export function checkLines(
  server: Server,
  fail: (error: unknown) => void,
): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  const reader = lineReader(server)
  // The rest is read and ignored, so that the connection can be used again.
  let isBroken = false

  /** The good ones of some lines; what follows a failure is left out. */
  function check(lines: readonly string[]): string {
    let good = ''
    const isGood = attempt(() => {
      for (const line of lines) if (reader.read(line)) good += `${line}\n`
    })
    return isGood ? good : good + errorLine
  }

  function attempt(work: () => void): boolean {
    try {
      work()
    } catch (error) {
      isBroken = true
      fail(error)
    }
    return !isBroken
  }

  return new TransformStream({
    transform(chunk, controller) {
      const good = isBroken ? '' : check(decoder.decode(chunk).split('\n'))
      if (good !== '') controller.enqueue(encoder.encode(good))
    },
    flush(controller) {
      if (!isBroken && !attempt(reader.end)) controller.enqueue(encoder.encode(errorLine))
    },
  })
}

const errorLine = '{"error":"broken"}\n'
