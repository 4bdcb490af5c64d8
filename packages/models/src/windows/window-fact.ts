import { isCount } from '@throughline/core/values'

/** What is known of a model's window, and from where: `gpt-5: 400,000, from the table of 2026-11`. */
export interface WindowFact {
  /** Absent: the window is unknown. */
  readonly tokens?: number
  /** Words that follow the number. */
  readonly from?: string
  /** Whether the server may soon tell another one, because it has not loaded the model. */
  readonly mayChange?: boolean
  /** Whether the server takes it by itself, for a request that names none. */
  readonly isOwn?: boolean
}

export const windowSources = {
  set: 'as set',
  server: 'told by the server',
  loaded: 'of the loaded model',
  modelfile: 'from its Modelfile',
  most: 'the most that the server can load',
  refusal: 'from a refusal of the server',
  client: 'as a client asked',
} as const

/** Whether a window that another program names can be true. A false one would cut nearly everything, or nothing ever. */
export const isToldWindow = (value: unknown): value is number =>
  isCount(value, 256) && value <= 100_000_000

/** The first of the values that can be a window, as the server tells it. */
export function toldFact(values: readonly unknown[]): WindowFact {
  const tokens = values.find(isToldWindow)
  return tokens === undefined ? {} : { tokens, from: windowSources.server }
}
