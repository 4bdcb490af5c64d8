import { parseJsonObject } from '../../log/parse-json.ts'
import type { OpenAiChunk } from '../../models/openai/read-parts.ts'
import { type Server, toStreamError } from '../../models/to-model-error.ts'

/** Reads the events of a stream of chat completions, up to `[DONE]`. */
export function eventReader(server: Server) {
  let isDone = false
  return {
    isDone: () => isDone,
    /** The chunks of a text that holds whole events. */
    *read(text: string): Generator<OpenAiChunk> {
      for (const event of text.replaceAll('\r\n', '\n').split('\n\n')) {
        const data = dataOf(event)
        isDone ||= data === '[DONE]'
        if (isDone) return
        if (data === '') continue
        const chunk = parseJsonObject(data)
        if (!chunk) throw toStreamError(server, 'sent an event that cannot be read')
        yield chunk
      }
    },
  }
}

/** The data of an event. Older versions of llama.cpp have a field of their own for errors. */
function dataOf(event: string): string {
  // Nearly all are so.
  if (event.startsWith('data:') && !event.includes('\n')) return event.slice('data:'.length).trim()
  const lines = event.split('\n').flatMap(line => {
    const value = /^(?:data|error):(.*)$/s.exec(line)?.[1]
    return value === undefined ? [] : [value.startsWith(' ') ? value.slice(1) : value]
  })
  return lines.join('\n').trim()
}
