import { ThroughlineError } from '../../log/error.ts'
import { type Column, createReader, createWriter, seal, sumsOf, unseal } from '../../log/pack-bytes.ts'
import { pause } from './index-transcript.ts'
import { flagsOf } from './recall-index.ts'
import { termsOf } from './terms.ts'

/** Something that was said, and how many tokens it has. */
export interface Spoken {
  readonly role: 'user' | 'assistant'
  readonly text: string
  readonly time: number
  readonly tokens: number
}

/**
 * What was said in a row in one conversation, as a ranking must know it: numbers, and no texts. So a hundred thousand messages
 * of a person take some twenty megabytes, and no message is read or cut into terms twice.
 */
export interface Passage extends Columns<Column> {
  /** When the first and the last message were said. */
  readonly first: number
  readonly last: number
  /** The same as bytes, to be stored. */
  readonly bytes: Uint8Array
}

interface Columns<List> {
  /** By message: its place in the log. */
  readonly seqs: List
  readonly tokens: List
  readonly flags: List
  /** By message: how many terms it has, and how many different ones. */
  readonly lengths: List
  readonly sizes: List
  /** The different terms of each message, one message after the other: their numbers, and how often the message has them. */
  readonly terms: List
  readonly counts: List
}

const names = ['seqs', 'tokens', 'flags', 'lengths', 'sizes', 'terms', 'counts'] as const

const mapColumns = <List>(of: (name: (typeof names)[number]) => List): Columns<List> =>
  Object.fromEntries(names.map(name => [name, of(name)])) as unknown as Columns<List>

/**
 * The number of a term. Of a hundred thousand different terms about one shares its number with another, which no ranking shows;
 * exact numbers would need a vocabulary for each person.
 */
export function numberOf(term: string): number {
  let hash = 0x811c9dc5 | 0
  for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}

/** A posting counts no further, see `toPosting`. */
const mostCounted = 7

/** The passage that goes on with what was said, oldest first. */
export function addToPassage(
  before: Passage | undefined,
  said: readonly (Spoken & { readonly seq: number })[],
): Passage {
  const columns = mapColumns(name => Array.from<number>(before?.[name] ?? []))
  const first = before?.first ?? said[0]?.time
  let last = before?.last
  for (const { role, text, time, tokens, seq } of said) {
    const all = termsOf(text)
    const found = new Map<string, number>()
    for (const term of all) found.set(term, (found.get(term) ?? 0) + 1)
    for (const [term, count] of found) {
      columns.terms.push(numberOf(term))
      columns.counts.push(Math.min(mostCounted, count))
    }
    const beginsSession = last === undefined || time - last > pause
    columns.seqs.push(seq)
    columns.tokens.push(tokens)
    columns.flags.push(flagsOf({ text, isUser: role === 'user', beginsSession }))
    columns.lengths.push(all.length)
    columns.sizes.push(found.size)
    last = time
  }
  const bytes = createWriter()
  bytes.optional(first)
  bytes.optional(last)
  for (const name of names) bytes.numbers(columns[name])
  return readPassage(seal(version, bytes.done()))
}

/** Reads the bytes of a passage. Throws where they were changed, or written by another version. */
export function readPassage(bytes: Uint8Array): Passage {
  const reader = createReader(unseal(version, bytes, unusable), unusable)
  const first = reader.optional() ?? 0
  const last = reader.optional() ?? 0
  const columns = mapColumns(() => reader.numbers())
  const size = sumsOf(columns.sizes).at(-1) ?? 0
  const isWhole =
    [columns.tokens, columns.flags, columns.lengths, columns.sizes].every(
      ({ length }) => length === columns.seqs.length,
    ) && [columns.terms, columns.counts].every(({ length }) => length === size)
  if (!isWhole) throw unusable('its parts do not fit together')
  return { first, last, ...columns, bytes }
}

/** Changes with the layout and the terms: a passage of another version is made anew. */
const version = 1

const unusable = (why: string) =>
  new ThroughlineError(
    'passage_unusable',
    `A stored passage cannot be used: ${why}. It is made anew from the log.`,
  )
