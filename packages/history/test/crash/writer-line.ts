/** Where a writer keeps its log. */
export type Place =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string }

/** What a writer is told, as one argument in JSON. */
export interface WriterOptions {
  readonly place: Place
  readonly conversation: string
  /** The name of this writer, which stands in every text that it writes. */
  readonly name: string
  readonly turns: number
  readonly leaseMs?: number
  /** Which control it is: see broken-stores.ts. */
  readonly fault?: Fault
  /** Waits for a line on its input before every step. */
  readonly isStepped?: boolean
  /** Closes its store after every turn and opens it again. */
  readonly isReopening?: boolean
  /** How long a turn stays open for the model to think. */
  readonly thinkMs?: number
  /** Dies without a word when a step is refused, instead of trying it again. */
  readonly isFragile?: boolean
}

export type Fault = 'late' | 'hasty' | 'torn' | 'unleased' | 'unfenced' | 'deaf'

export type Step = 'open' | 'begin' | 'append' | 'complete'

/** The exit code of a writer that was refused twice. */
export const gaveUp = 3

/** Printed when a step has resolved: the texts are promised to be in the log from here on. */
export interface Acknowledged {
  readonly kind: 'acknowledged'
  readonly step: Step
  readonly turn: number
  readonly texts: readonly string[]
}

/** Printed when a step was refused. */
export interface Refused {
  readonly kind: 'refused'
  readonly step: Step
  /** The class, the code and the message of the error. */
  readonly error: string
  readonly code: string
  readonly message: string
  /** How many messages the writer could read right after it; -1 when it could not. */
  readonly readable: number
}

/** What a writer prints, a line each. */
export type WriterLine =
  | { readonly kind: 'ready' }
  | Acknowledged
  | Refused
  | { readonly kind: 'aborted'; readonly turn: number; readonly code: string }

export const isAcknowledged = (line: WriterLine): line is Acknowledged =>
  line.kind === 'acknowledged'
export const isRefused = (line: WriterLine): line is Refused => line.kind === 'refused'
