import { digestCode } from './code.ts'
import { digestLine } from './digest-line.ts'
import type { Digester, Exchange } from './exchange.ts'
import { digestProgram } from './program.ts'
import { digestText } from './text.ts'
import { digestTools } from './tools.ts'

export type { Digester, Exchange } from './exchange.ts'

/** The built-in digesters, asked in this order. To add one: `[mine, ...defaultDigesters]`. */
export const defaultDigesters: readonly Digester[] = [digestProgram, digestTools, digestCode, digestText]

/**
 * The one line that stands for an older exchange. Deterministic, made without a model.
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
): string {
  return digestLine(exchange, digesters).line
}
