/** An event of a stream of server-sent events; with a name where clients go by it. */
export function sse(value: unknown, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${oneLine(value)}\n\n`
}

/** A comment in a stream of server-sent events: clients ignore it. */
export const sseComment = ':\n\n'

/** The headers of every stream of server-sent events: nothing that stands between may hold events back. */
export const sseHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
} as const

/** JSON on one line for every reader: Python takes three characters that JSON leaves as they are for the end of a line. */
export function oneLine(value: unknown): string {
  return JSON.stringify(value).replace(
    lineEnds,
    end => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

const lineEnds = /[\u0085\u2028\u2029]/g
