import { oneLine } from '../faces/one-line.ts'
import { errorBody } from './api-error.ts'
import type { ServerEvent } from './server-event.ts'

/**
 * A stream of server-sent events. An error is the last event. `onLeave` is called when the client has left. `aliveMs`: how
 * long it may be silent, for proxies close a connection that is.
 */
export function eventStream(
  events: AsyncIterable<ServerEvent>,
  onLeave: () => void,
  aliveMs: number,
): Response {
  return new Response(toBody(keepAlive(toTexts(events), aliveMs), onLeave), {
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    },
  })
}

/** A stream of lines of JSON; texts are lines already. */
export function lineStream(values: AsyncIterable<unknown>, onLeave: () => void): Response {
  async function* lines() {
    for await (const value of values) yield `${typeof value === 'string' ? value : oneLine(value)}\n`
  }
  return new Response(toBody(lines(), onLeave), { headers: { 'content-type': 'application/x-ndjson' } })
}

async function* toTexts(events: AsyncIterable<ServerEvent>): AsyncGenerator<string> {
  try {
    for await (const { event, data, id } of events)
      yield `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${oneLine(data)}\n\n`
  } catch (error) {
    yield `event: error\ndata: ${oneLine({ type: 'error', ...errorBody(error) })}\n\n`
  }
}

/** Puts a comment where nothing has come for a while. */
async function* keepAlive(texts: AsyncGenerator<string>, aliveMs: number): AsyncGenerator<string> {
  let next = texts.next()
  try {
    for (;;) {
      const came = await within(next, aliveMs)
      if (came === undefined) {
        yield ':\n\n'
        continue
      }
      if (came.done) return
      next = texts.next()
      yield came.value
    }
  } finally {
    texts.return(undefined).catch(() => undefined)
  }
}

async function within<Value>(work: Promise<Value>, ms: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>(resolve => {
    timer = setTimeout(resolve, ms, undefined)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** A body that is made only as fast as the client reads. */
function toBody(texts: AsyncGenerator<string>, onLeave: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await texts.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
      cancel() {
        onLeave()
        // Not awaited: it waits for the text that is being made.
        texts.return(undefined).catch(() => undefined)
      },
    },
    { highWaterMark: 0 },
  )
}
