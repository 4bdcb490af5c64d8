import { parseJsonObject } from '../../log/parse-json.ts'
import type { OpenAiChunk } from '../../models/openai/read-parts.ts'
import { type Server, toStreamError } from '../../models/to-model-error.ts'
import { textsOf } from './stream-parts.ts'

/** Reads the events of a stream of chat completions, up to `[DONE]`. */
export async function* readEvents(
  bytes: AsyncIterable<Uint8Array>,
  server: Server,
): AsyncGenerator<OpenAiChunk> {
  for await (const text of textsOf(bytes, server, 'event')) {
    for (const event of text.replaceAll('\r\n', '\n').split('\n\n')) {
      const data = dataOf(event)
      if (data === '') continue
      if (data === '[DONE]') return
      const chunk = parseJsonObject(data)
      if (!chunk) throw toStreamError(server, 'sent an event that cannot be read')
      yield chunk
    }
  }
}

/** The data of an event. Older versions of llama.cpp have a field of their own for errors. */
function dataOf(event: string): string {
  const lines = event.split('\n').flatMap(line => {
    const value = /^(?:data|error):(.*)$/s.exec(line)?.[1]
    return value === undefined ? [] : [value.startsWith(' ') ? value.slice(1) : value]
  })
  return lines.join('\n').trim()
}
