import { cut } from '../../log/line.ts'
import { attempt } from './attempt.ts'
import { digestCode } from './code.ts'
import type { Digester, Exchange } from './exchange.ts'
import { digestProgram } from './program.ts'
import { digestText } from './text.ts'
import { digestTools } from './tools.ts'

export type { Digester, Exchange } from './exchange.ts'

/** Asked in this order. To add one: `[mine, ...defaultDigesters]`. */
export const defaultDigesters: readonly Digester[] = [digestProgram, digestTools, digestCode, digestText]

/** Longest request and longest digest in a line, in characters. */
const MAX_REQUEST = 80
const MAX_DIGEST = 1000

/**
 * The one line that stands for an older exchange. Deterministic, and no model is asked.
 *
 * Quotation marks in the request become `'`, so that the second `"` always ends it.
 *
 * @example
 * digestExchange({ request: 'thunderstorm', messages })
 * // [Previous: "thunderstorm" → thunderstorm, 2 steps: solid(#1A1A2E) → pulse(#FFFFFF), infinite loop]
 */
export function digestExchange(
  exchange: Exchange,
  digesters: readonly Digester[] = defaultDigesters,
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
