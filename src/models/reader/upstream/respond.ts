import type { ModelPart } from '../../model.ts'

/** The parts of a complete reply. */
export interface WholeReply {
  readonly text: string
  readonly calls: readonly Extract<ModelPart, { type: 'tool-call' }>[]
  readonly end: EndPart
}

export type EndPart = Extract<ModelPart, { type: 'end' }>

/**
 * Waits for the first part before it returns all, so that a refusal becomes a status and not a broken stream.
 */
export async function begin(parts: AsyncIterable<ModelPart>): Promise<AsyncIterable<ModelPart>> {
  const iterator = parts[Symbol.asyncIterator]()
  const first = await iterator.next()
  return (async function* () {
    if (!first.done) yield first.value
    yield* { [Symbol.asyncIterator]: () => iterator }
  })()
}

export async function gather(parts: AsyncIterable<ModelPart>): Promise<WholeReply> {
  let text = ''
  const calls: Extract<ModelPart, { type: 'tool-call' }>[] = []
  for await (const part of parts) {
    if (part.type === 'text-delta') text += part.text
    else if (part.type === 'tool-call') calls.push(part)
    else if (part.type === 'end') return { text, calls, end: part }
  }
  throw new Error('The reader ended without an end part')
}

/** Streams lines as they come. A client that stops reading aborts `left`, and so the reader. */
export function streamLines(
  lines: AsyncIterable<string>,
  contentType: string,
  left: AbortController,
): Response {
  const iterator = lines[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await iterator.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value))
      } catch (error) {
        controller.error(error)
      }
    },
    cancel(reason) {
      left.abort(reason)
    },
  })
  return new Response(body, { headers: { 'content-type': contentType } })
}
