import { sseComment } from '../../turn/stream/to-readable.ts'
import type { Face, ReplyStream } from './face.ts'
import { oneLine } from './one-line.ts'

/** An event of a stream of server-sent events; with a name where clients go by it. */
export function sse(value: unknown, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${oneLine(value)}\n\n`
}

/** What keeps a silent stream alive: a comment among events; nothing among lines, where clients fail on an empty one. */
export const signOfLife = ({ streamType }: Face, stream: ReplyStream): string =>
  stream.idle?.() ?? (streamType === 'text/event-stream' ? sseComment : '')
