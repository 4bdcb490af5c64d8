import { sseComment } from '../../turn/stream/to-readable.ts'
import type { Adapter, ReplyStream } from './adapter.ts'

/** An event of a stream of server-sent events; with a name where clients go by it. */
export function sse(value: unknown, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${oneLine(value)}\n\n`
}

/** What keeps a silent stream alive: a comment among events; nothing among lines, where clients fail on an empty one. */
export const signOfLife = ({ streamType }: Adapter, stream: ReplyStream): string =>
  stream.idle?.() ?? (streamType === 'text/event-stream' ? sseComment : '')

/** JSON on one line for every reader: Python takes three characters that JSON leaves as they are for the end of a line. */
export function oneLine(value: unknown): string {
  return JSON.stringify(value).replace(
    lineEnds,
    end => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

const lineEnds = /[\u0085\u2028\u2029]/g
