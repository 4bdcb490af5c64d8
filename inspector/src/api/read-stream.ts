import { EventSourceParserStream } from 'eventsource-parser/stream'

/** The lines of a stream, without empty ones. Leaving the loop cancels it. */
export async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of chunksOf(toText(body))) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop()!
    for (const line of lines) if (line !== '') yield line
  }
  if (rest !== '') yield rest
}

/** The server-sent events of a stream. `EventSource` cannot send a key. Leaving the loop cancels it. */
export const readEvents = (body: ReadableStream<Uint8Array>) =>
  chunksOf(toText(body).pipeThrough(new EventSourceParserStream()))

const toText = (body: ReadableStream<Uint8Array>) =>
  body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)

async function* chunksOf<Chunk>(stream: ReadableStream<Chunk>): AsyncGenerator<Chunk> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    reader.cancel().catch(() => undefined)
  }
}
