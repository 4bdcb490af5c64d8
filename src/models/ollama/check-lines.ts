import type { ModelError } from '../model-error.ts'
import { readFault } from '../read-fault.ts'
import { type Server, toStreamError } from '../to-model-error.ts'

/**
 * Passes on the readable lines of a stream, up to the one that is `done`. The client would print and skip a bad line; here
 * a bad line, an error and an early end fail the stream. The failure is reported, and stands in the stream as an error
 * line: throwing it would lose the lines before it that are not yet read.
 */
export function checkLines(
  server: Server,
  fail: (error: ModelError) => void,
): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  // The rest is read and ignored, so that the connection can be used again.
  let isOver = false

  function check(lines: readonly string[]): string {
    let good = ''
    for (const line of lines) {
      if (isOver || line.trim() === '') continue
      const value = parse(line)
      if (!value || 'error' in value) return good + broken(value)
      isOver = value.done === true
      good += `${line}\n`
    }
    return good
  }

  function broken(value: unknown): string {
    isOver = true
    fail(
      value
        ? toStreamError(server, 'failed in the middle of its answer', readFault(value))
        : toStreamError(server, 'sent a line that cannot be read'),
    )
    return errorLine
  }

  return new TransformStream({
    transform(chunk, controller) {
      const good = check(decoder.decode(chunk).split('\n'))
      if (good !== '') controller.enqueue(encoder.encode(good))
    },
    flush(controller) {
      if (isOver) return
      fail(toStreamError(server, 'ended its answer before it was done'))
      controller.enqueue(encoder.encode(errorLine))
    },
  })
}

const errorLine = '{"error":"broken"}\n'

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
