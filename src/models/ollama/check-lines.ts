import { readFault } from '../read-fault.ts'
import { type Server, toStreamError } from '../to-model-error.ts'

/**
 * Lets through the lines of a stream that can be read, up to the one that is `done`. The client skips what it cannot
 * read, with a print of it; here a bad line, an error and an early end each break the stream.
 */
export function checkLines(server: Server): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let rest = ''
  let isDone = false

  function take(line: string, controller: TransformStreamDefaultController<Uint8Array>): void {
    // What follows is read, so that the connection can be used again, and means nothing.
    if (isDone || line.trim() === '') return
    const value = parse(line)
    if (!value) throw toStreamError(server, 'sent a line that cannot be read')
    if ('error' in value) throw toStreamError(server, 'failed in the middle of its answer', readFault(value))
    isDone = value.done === true
    controller.enqueue(encoder.encode(`${line}\n`))
  }

  return new TransformStream({
    transform(chunk, controller) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) take(line, controller)
    },
    flush(controller) {
      take(rest + decoder.decode(), controller)
      if (!isDone) throw toStreamError(server, 'ended its answer before it was done')
    },
  })
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
