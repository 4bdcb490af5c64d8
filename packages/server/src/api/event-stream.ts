import { textWriter, toReadable } from '@throughline/chat/turn'
import { oneLine, sse, sseComment, sseHeaders } from '@throughline/models/http'
import type { StreamLimits } from '../exchange/reply-writer.ts'
import { errorBody, toFault } from '../to-fault.ts'

/** An event of a stream. `id` is what a client sends as `Last-Event-ID` when it comes back. */
export interface ServerEvent<Data = unknown> {
  readonly event: string
  readonly data: Data
  readonly id?: string | undefined
}

export const lastEventOf = ({ headers }: Request) => headers.get('last-event-id') ?? undefined

export interface AnswerLimits extends StreamLimits {
  /** Called when no more is read. */
  readonly onEnd: () => void
}

/** One event, or several that are written together. */
export type ServerEvents<Data = unknown> = ServerEvent<Data> | readonly ServerEvent<Data>[]

/** A stream of server-sent events. An error is the last event. */
export function eventStream(
  events: AsyncIterable<ServerEvents>,
  { keepAliveMs: ms, unreadMs, onEnd }: AnswerLimits,
): Response {
  async function* texts() {
    try {
      for await (const some of events)
        yield 'event' in some ? textOf(some) : some.map(textOf).join('')
    } catch (error) {
      yield sse({ type: 'error', ...errorBody(toFault(error)) }, 'error')
    }
  }
  const keepAlive = { ms, item: () => sseComment }
  return new Response(toReadable(texts(), textWriter(), { unreadMs, onEnd, keepAlive }), {
    headers: sseHeaders,
  })
}

/** The texts of events, which many streams may write. */
const written = new WeakMap<ServerEvent, string>()

function textOf(one: ServerEvent): string {
  const known = written.get(one)
  if (known !== undefined) return known
  const { event, data, id } = one
  const text = `${id === undefined ? '' : `id: ${id}\n`}${sse(data, event)}`
  written.set(one, text)
  return text
}

/** A stream of lines of JSON; texts are lines already. */
export function lineStream(
  values: AsyncIterable<unknown>,
  { unreadMs, onEnd }: AnswerLimits,
): Response {
  async function* lines() {
    for await (const value of values)
      yield `${typeof value === 'string' ? value : oneLine(value)}\n`
  }
  return new Response(toReadable(lines(), textWriter(), { unreadMs, onEnd }), {
    headers: { 'content-type': 'application/x-ndjson' },
  })
}
