import { isObject } from '@throughline/core/values'
import { NoConversationError } from '@throughline/stores/errors'
import { memoryStore } from '@throughline/stores/memory'
import { checkPerson } from '@throughline/stores/store'
import { checkUnreserved } from '../side-name.ts'
import { exportConversation } from './export-conversation.ts'
import { detect, whyRefused } from './formats/detect.ts'
import { atPlace, ImportStoppedError, InvalidImportError } from './import-error.ts'
import type { ImportTarget, ReadConversation } from './read-conversation.ts'
import { countEntries, writeConversation } from './read-conversation.ts'
import { readExport } from './read-export.ts'
import { parseItem, readForeign } from './read-foreign.ts'
import { type FileValue, valuesIn } from './values-in.ts'

/** Names and limits of an import. */
export interface ImportOptions {
  /** The new name of the conversation. Default: its name in the export, or one made of its id there. */
  readonly as?: string
  /** Whose conversations they are; one that is a person's here stays so. Default: what the text says, or the history's person. */
  readonly person?: string
  /** The most characters of one JSON value: of a line, or of a conversation in a list. Default 268,435,456. */
  readonly maxValueCharacters?: number
}

/** What an import held. Importing the same again changes nothing. */
export interface Imported {
  /** Whose form the text has: `Throughline`, `ChatGPT` … */
  readonly format: string
  /** The names of the conversations here. */
  readonly conversations: readonly string[]
  /** Conversations that were deleted here: they stay so. */
  readonly deleted: readonly string[]
  /** How many entries the text has. */
  readonly entries: number
  /** How many of the entries were not here before. */
  readonly added: number
  /** How many records of calls the text has. */
  readonly calls: number
}

export type TextPieces = AsyncIterable<string> | Iterable<string>

/** A text, its pieces, or a function that opens it, for each of the two readings. */
export type ImportedText = string | TextPieces | (() => TextPieces)

/**
 * Imports conversations from a text: our own export, or a file of another program. The text is read twice. First every
 * conversation is tried on a store in memory, beside what is stored of it; then all are written. A store that fails meanwhile
 * leaves what it has: the same text again goes on from there.
 */
export async function importText(
  { now, ...rest }: ImportTarget,
  text: ImportedText,
  options: ImportOptions = {},
): Promise<Imported> {
  if (options.person !== undefined) checkPerson(options.person)
  const open = await readableTwice(text)
  const begun = now()
  const target = { ...rest, now: () => begun }
  // What is tried out need not be counted.
  const trying = { ...target, count: { ...target.count, message: () => 0 } }
  let total = 0
  for await (const { read, format } of conversationsIn(trying, open(), options)) {
    await tryOut(trying, read, format)
    total += 1
  }
  if (total === 0)
    throw new InvalidImportError({ line: 1 }, 'it has no message: nothing was said in it.')
  let format = ownFormat
  const [conversations, deleted]: [string[], string[]] = [[], []]
  let [entries, added, calls] = [0, 0, 0]
  let writing: string | undefined
  try {
    for await (const { read, ...file } of conversationsIn(target, open(), options)) {
      format = file.format
      const at = { tenant: target.tenant, conversation: read.name }
      writing = read.name
      const fresh = await writeConversation(target.store, at, read).catch(orDeleted)
      ;(fresh === undefined ? deleted : conversations).push(read.name)
      writing = undefined
      added += fresh ?? 0
      entries += countEntries(read)
      calls += read.threads.reduce((sum, thread) => sum + thread.calls.size, 0)
    }
  } catch (error) {
    const hasPart = writing !== undefined && (await isThere(target, writing))
    throw new ImportStoppedError(conversations.length + deleted.length, total, hasPart, error)
  }
  return { format, conversations, deleted, entries, added, calls }
}

/** Whether the store has anything of a conversation, as far as it can still say so. */
const isThere = ({ store, tenant }: Pick<ImportTarget, 'store' | 'tenant'>, only: string) =>
  store.conversations(tenant, { only }).then(
    found => found.length > 0,
    () => false,
  )

function orDeleted(error: Error): undefined {
  if (!(error.cause instanceof NoConversationError)) throw error
}

const ownFormat = 'Throughline'

/** A text that can be read again: what opens it, or its pieces. Streams and generators are read only once: pieces are kept. */
async function readableTwice(text: ImportedText): Promise<() => TextPieces> {
  if (typeof text === 'function') return text
  if (typeof text === 'string') return () => [text]
  if (Array.isArray(text)) return () => text
  const pieces: string[] = []
  for await (const piece of text) pieces.push(piece)
  return () => pieces
}

/** The conversations of a text, one at a time. Its first value tells whose form it has. */
async function* conversationsIn(
  target: ImportTarget,
  pieces: TextPieces,
  { as, person, maxValueCharacters }: ImportOptions,
): AsyncGenerator<{ readonly read: ReadConversation; readonly format: string }> {
  const values = valuesIn(pieces, maxValueCharacters)
  try {
    yield* conversationsOf(target, values, { as, person })
  } finally {
    // What was not read to its end, such as a file, is closed.
    await values.return(undefined)
  }
}

async function* conversationsOf(
  target: ImportTarget,
  values: ReturnType<typeof valuesIn>,
  { as, person }: ImportOptions,
): AsyncGenerator<{ readonly read: ReadConversation; readonly format: string }> {
  const { value: first } = await values.next()
  if (!first) throw new InvalidImportError({ line: 1 }, 'it is empty.')
  async function* startAgain() {
    yield first as FileValue
    yield* values
  }
  const all = startAgain()
  const foreign = detectFormat(first)
  checkUnreserved({ as })
  const names = new Set<string>()
  for await (const read of foreign
    ? readForeign(all, foreign, target, as)
    : readExport(all, target.count)) {
    const name = as ?? read.name
    const problem =
      as === undefined
        ? 'its conversation came before in the file.'
        : 'a second conversation cannot get the same name: import without `as`.'
    if (names.has(name)) throw new InvalidImportError(read.place, problem)
    names.add(name)
    const description = {
      ...read.description,
      person: person ?? read.description.person ?? target.person,
    }
    yield { read: { ...read, name, description }, format: foreign?.name ?? ownFormat }
  }
}

/** Undefined for our own form. */
function detectFormat(first: FileValue) {
  const binary = binaries.find(([start]) => first.text.startsWith(start))
  if (binary) throw new InvalidImportError(first, binary[1])
  const { value, place } = parseItem(first)
  if (isObject(value) && 'kind' in value && !('text' in value)) return undefined
  const format = detect(value)
  if (format) return format
  throw new InvalidImportError(
    place,
    whyRefused(value) ??
      'it is no chat that Throughline knows. It reads its own exports, lists of messages, and the files of ChatGPT, Claude, ' +
        'Open WebUI, LibreChat, Claude Code, Codex, Qwen Code, opencode, pi, Continue, Cline and SillyTavern.',
  )
}

/** How files begin that are no text, and what to import in their place. */
const binaries = [
  [
    'PK\u0003\u0004',
    'it is a ZIP archive: give it to "throughline log import" by its name, or to the server, or import the JSON file that is in it.',
  ],
  [
    'SQLite',
    'it is an SQLite database. If it is that of opencode, import what "opencode export <session>" writes.',
  ],
] as const

/** Writes a conversation to a store in memory that has what is stored of it, so that the real one need not refuse it. */
async function tryOut(
  { store, tenant, count }: ImportTarget,
  read: ReadConversation,
  format: string,
) {
  const at = { tenant, conversation: read.name }
  // An export may come from a store with a higher limit.
  const trial = memoryStore(format === ownFormat ? { maxEntryBytes: Number.POSITIVE_INFINITY } : {})
  const find = () => store.conversations(tenant, { only: read.name, limit: 1 })
  for (const stored of await atPlace(read.place, find)) {
    const lines = valuesIn(exportConversation(store, tenant, stored))
    for await (const copy of readExport(lines, count)) await writeConversation(trial, at, copy)
  }
  await writeConversation(trial, at, read)
}
