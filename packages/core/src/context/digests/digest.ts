import { InvalidOptionError } from '../../log/error.ts'
import { cut } from '../../log/line.ts'
import { neutralizeNotes } from '../../notes/neutralize.ts'
import { digestCode } from './code.ts'
import type { Digester, Exchange } from './exchange.ts'
import { digestProgram } from './program.ts'
import { digestText } from './text.ts'
import { digestTools } from './tools.ts'

export type { Digester, Exchange } from './exchange.ts'

/** The built-in digesters, asked in this order. To add one: `[mine, ...defaultDigesters]`. */
export const defaultDigesters: readonly Digester[] = [
  digestProgram,
  digestTools,
  digestCode,
  digestText,
]

/**
 * The one line that stands for an older exchange. Deterministic, made without a model.
 *
 * Quotation marks in the request become `'`, so that the second `"` always ends it.
 *
 * @example
 * digestExchange({ request: 'thunderstorm', messages })
 * // [Previous: "thunderstorm" → thunderstorm, 2 steps: solid(#1A1A2E) → pulse(#FFFFFF), infinite loop]
 */
export function digestExchange(exchange: Exchange, digesters = defaultDigesters): string {
  return digestLine(exchange, digesters).line
}

/** The longest request in a line, and the longest digest that is read, in characters. */
export const maxRequest = 80
const MAX_DIGEST = 1000

/** The digest line of an exchange, in which no text passes for a note, and the faults: `digester "digestPoll" threw: boom`. */
export function digestLine(
  exchange: Exchange,
  digesters: readonly Digester[],
  options: { readonly max?: number; readonly isRequestSent?: boolean } = {},
) {
  const { max = MAX_DIGEST, isRequestSent = false } = options
  const problems: string[] = []
  const request = isRequestSent ? '…' : cut(exchange.request, maxRequest).replaceAll('"', "'")
  const digest = cut(firstDigest(exchange, digesters, max, problems), max)
  return { line: neutralizeNotes(`[Previous: "${request}" → ${digest}]`), problems }
}

/** Throws InvalidOptionError unless this is a list of digesters. */
export function checkDigesters(digesters: readonly Digester[]): void {
  if (!Array.isArray(digesters) || digesters.some(digester => typeof digester !== 'function'))
    throw new InvalidOptionError('digesters', 'expected a list such as [mine, ...defaultDigesters]')
}

/** The first digest that a digester gives, else one of the text: an empty digest would say that nothing happened. */
function firstDigest(
  exchange: Exchange,
  digesters: readonly Digester[],
  max: number,
  problems: string[],
) {
  for (const [place, digester] of digesters.entries()) {
    const name = digester.name ? `digester "${digester.name}"` : `digesters[${place}]`
    const fault = (what: string) => problems.push(`${name} ${what}`)
    // A user's digester may throw or return no text: the next one is asked, and the receipt says so.
    try {
      const digest: unknown = digester(exchange, max)
      const line = typeof digest === 'string' ? cut(digest, MAX_DIGEST) : ''
      if (line !== '') return line
      if (digest && typeof digest !== 'string') fault('gave a value that is no text')
    } catch (error) {
      fault(`threw: ${cut(String(error), 200)}`)
    }
  }
  return digestText(exchange)
}
