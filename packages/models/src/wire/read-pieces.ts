import { createParser } from 'eventsource-parser'
import { type AskedServer, toStreamError } from '../to-model-error.ts'

/** Far more than any line of tokens or list of models. */
const mostBytes = 16 * 1024 * 1024

/** Throws before a line, an event or an answer that never ends fills the memory. */
export function checkSize(
  server: AskedServer,
  bytes: number,
  piece: 'line' | 'event' | 'answer',
): void {
  if (bytes > mostBytes)
    throw toStreamError(
      server,
      `sent more than ${mostBytes} bytes where the ${piece} should have ended`,
    )
}

export interface WirePiece {
  /** The line, or the data of the event. */
  readonly data: string
  /** The piece as it can be sent on. */
  readonly text: string
}

/** The lines or the events of an answer, however the network has cut them. Those that came together are one list. */
export async function* readPieces(
  bytes: AsyncIterable<Uint8Array>,
  piece: 'line' | 'event',
  server: AskedServer,
): AsyncGenerator<readonly WirePiece[]> {
  const decoder = new TextDecoder()
  const cutter = cutters[piece]()
  let waiting = 0
  for await (const chunk of bytes) {
    const pieces = cutter.push(decoder.decode(chunk, { stream: true }))
    waiting = pieces.length > 0 ? 0 : waiting + chunk.length
    checkSize(server, waiting, piece)
    if (pieces.length > 0) yield pieces
  }
  yield cutter.push(`${decoder.decode()}${cutter.ending}`)
}

/** Each takes the next text and returns the pieces that end in it. */
export const cutters = { line: lineCutter, event: eventCutter } as const

function lineCutter() {
  let held = ''
  return {
    push(text: string): readonly WirePiece[] {
      // What is held is not searched again, because it may be long.
      if (!text.includes('\n')) {
        held += text
        return []
      }
      const lines = (held + text).split('\n')
      held = lines.pop()!
      return lines.map(data => ({ data, text: `${data}\n` }))
    },
    ending: '\n',
  }
}

function eventCutter() {
  let pieces: WirePiece[] = []
  const parser = createParser({
    onEvent: ({ event, id, data }) => pieces.push({ data, text: toEvent(event, id, data) }),
    onError: ({ field, value }) => {
      // Older versions of llama.cpp have a field of their own for errors.
      if (field === 'error') pieces.push({ data: value ?? '', text: `error: ${value ?? ''}\n\n` })
    },
  })
  const normalize = lineFeeds()
  return {
    push(text: string): readonly WirePiece[] {
      parser.feed(normalize(text))
      const whole = pieces
      pieces = []
      return whole
    },
    ending: '\n\n',
  }
}

function toEvent(event: string | undefined, id: string | undefined, data: string): string {
  const lines = [
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(id === undefined ? [] : [`id: ${id}`]),
  ]
  const dataLines = data.includes('\n') ? data.replaceAll('\n', '\ndata: ') : data
  return `${[...lines, `data: ${dataLines}`].join('\n')}\n\n`
}

/** Makes all line breaks line feeds: the parser looks for both kinds from every line on, quadratic in a chunk that has both. */
function lineFeeds(): (text: string) => string {
  let isAfterReturn = false
  return text => {
    if (text === '') return ''
    const rest = isAfterReturn && text.startsWith('\n') ? text.slice(1) : text
    isAfterReturn = text.endsWith('\r')
    return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest
  }
}
