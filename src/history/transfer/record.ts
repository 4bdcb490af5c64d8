import { ThroughlineError } from '../../log/error.ts'
import type { StoredCall, StoredEntry, StoredTurn } from '../../stores/store.ts'

/** JSON text as a value, so that people can read it; as text where that would not give the same bytes again. */
export type Json = { readonly value: unknown } | { readonly text: string }

/** A line of an export. A conversation, then each of its threads: turns before their entries, then the calls. */
export type TransferRecord =
  | {
      readonly kind: 'conversation'
      readonly throughline: 1
      readonly conversation: string
      readonly title?: string | undefined
      readonly metadata?: unknown
    }
  | {
      readonly kind: 'thread'
      readonly actor: string
      readonly branch: string
      readonly forkOf?: { readonly branch: string; readonly at: number }
    }
  | ({ readonly kind: 'turn' } & StoredTurn)
  | ({ readonly kind: 'entry'; readonly payload: Json } & Omit<StoredEntry, 'payload'>)
  | ({ readonly kind: 'call'; readonly plan: Json } & Omit<StoredCall, 'plan'>)
  /** Without it the export is not whole. */
  | { readonly kind: 'end'; readonly conversation: string; readonly entries: number }

/** A line that cannot be taken. `line` is its number, from 1. */
export class InvalidImportError extends ThroughlineError {
  readonly line: number

  constructor(line: number, problem: string, options?: ErrorOptions) {
    super('invalid_import', `Line ${line} of the import: ${problem}`, options)
    this.line = line
  }
}

export function toJson(text: string): Json {
  try {
    const value: unknown = JSON.parse(text)
    if (JSON.stringify(value) === text) return { value }
  } catch {
    // Not JSON: it travels as it is.
  }
  return { text }
}

export function fromJson(json: Json): string {
  return 'text' in json ? json.text : JSON.stringify(json.value)
}

const kinds: ReadonlySet<unknown> = new Set<TransferRecord['kind']>([
  'conversation',
  'thread',
  'turn',
  'entry',
  'call',
  'end',
])

/** What a line must have before the store is asked. */
const needed: Partial<Record<TransferRecord['kind'], readonly (readonly [name: string, type: string])[]>> = {
  conversation: [['conversation', 'string']],
  thread: [
    ['actor', 'string'],
    ['branch', 'string'],
  ],
  turn: [
    ['turn', 'number'],
    ['status', 'string'],
  ],
  entry: [
    ['seq', 'number'],
    ['id', 'string'],
    ['role', 'string'],
    ['payload', 'object'],
    ['tokens', 'object'],
  ],
  call: [
    ['id', 'string'],
    ['plan', 'object'],
  ],
}

/** Reads a line; the store checks the rest of what it is given. */
export function parseRecord(text: string, line: number): TransferRecord {
  let record: unknown
  try {
    record = JSON.parse(text)
  } catch (error) {
    throw new InvalidImportError(line, 'it is no JSON. Is the file cut off, or changed by an editor?', {
      cause: error,
    })
  }
  const { kind } = (record ?? {}) as { readonly kind?: unknown }
  const missing = (needed[kind as TransferRecord['kind']] ?? []).find(
    ([name, type]) => typeof (record as Readonly<Record<string, unknown>>)[name] !== type,
  )
  if (missing) throw new InvalidImportError(line, `its "${missing[0]}" must be a ${missing[1]}.`)
  if (!kinds.has(kind))
    throw new InvalidImportError(line, `its kind is ${JSON.stringify(kind)}, which nobody knows.`)
  return record as TransferRecord
}
