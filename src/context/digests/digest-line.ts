import { cut } from '../../log/line.ts'
import { attempt } from './attempt.ts'
import type { Digester, Exchange } from './exchange.ts'
import { digestText } from './text.ts'

/** Longest request in a line, and longest digest that is looked at, in characters. */
const MAX_REQUEST = 80
const MAX_DIGEST = 1000

/** The line for an exchange by the digesters that are given, with a digest of at most `max` characters. */
export function digestLine(
  exchange: Exchange,
  digesters: readonly Digester[],
  max: number = MAX_DIGEST,
): string {
  const request = cut(exchange.request, MAX_REQUEST).replaceAll('"', "'")
  return `[Previous: "${request}" → ${cut(firstDigest(exchange, digesters), max)}]`
}

/** When nobody wants the exchange, its text speaks for it: an empty digest would say that nothing happened. */
function firstDigest(exchange: Exchange, digesters: readonly Digester[]): string {
  for (const digester of digesters) {
    // A user's digester may throw, or return no text: the next one is asked.
    const digest: unknown = attempt(() => digester(exchange), undefined)
    const line = typeof digest === 'string' ? cut(digest, MAX_DIGEST) : ''
    if (line !== '') return line
  }
  return digestText(exchange)
}
