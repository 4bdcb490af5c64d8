import { isCount } from '../../log/is-count.ts'
import { isObject } from '../../log/parse-json.ts'

/**
 * A message of another conversation of the same person, which a message of this one has brought back. The log holds the place
 * and never the text: what is deleted there is gone here, too.
 */
export interface QuoteReference {
  readonly conversation: string
  readonly actor: string
  readonly branch: string
  readonly seq: number
  /** The id of the entry: in a log that was imported elsewhere, another message may stand in that place. */
  readonly id: string
  /** Why it was brought back, in words of the message that asked for it. */
  readonly why: string
}

/** The most quotes of a message. A log from an import may name more, which would take too long to load. */
export const mostQuotes = 64

/** Whether a value from a log, which may be an import, is a list of references. */
export const isReferences = (value: unknown): value is readonly QuoteReference[] =>
  Array.isArray(value) && value.length <= mostQuotes && value.every(isReference)

const isReference = (value: unknown): boolean =>
  isObject(value) &&
  isCount(value.seq, 1) &&
  [value.conversation, value.actor, value.branch, value.id, value.why].every(text => typeof text === 'string')
