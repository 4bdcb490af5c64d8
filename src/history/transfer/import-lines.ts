import type {
  ConversationDescription,
  Store,
  StoredEntry,
  StoredTurn,
  ThreadKey,
} from '../../stores/store.ts'
import { StoreError } from '../../stores/store-error.ts'
import { fromJson, InvalidImportError, parseRecord, type TransferRecord } from './record.ts'

export interface ImportOptions {
  /** The name of the conversation here. Default: the one it had. */
  readonly as?: string
}

/** What an import brought: the same lines imported again bring nothing, and change nothing. */
export interface Imported {
  readonly conversations: readonly string[]
  readonly entries: number
  readonly calls: number
}

/** Entries go in by stretches of about so many, always at the end of a turn. */
const stretch = 256

/** Reads the lines of an export into a store. Any number of conversations; each line is checked before it is used. */
export async function importLines(
  store: Store,
  tenant: string,
  lines: AsyncIterable<string> | Iterable<string>,
  { as }: ImportOptions = {},
): Promise<Imported> {
  const conversations: string[] = []
  let [line, entries, calls] = [0, 0, 0]
  /** Entries of the conversations before this one. */
  let before = 0
  let conversation: string | undefined
  let description: ConversationDescription = {}
  let thread: ReturnType<typeof createStretches> | undefined

  async function take(record: TransferRecord): Promise<void> {
    if (record.kind === 'conversation') {
      if (conversation !== undefined)
        throw new InvalidImportError(line, 'the conversation before it has no end.')
      if (record.throughline !== 1)
        throw new InvalidImportError(
          line,
          `it is of version ${String(record.throughline)}: update throughline.`,
        )
      if (as !== undefined && conversations.length > 0)
        throw new InvalidImportError(
          line,
          'a second conversation cannot get the same name: import without `as`.',
        )
      conversation = as ?? record.conversation
      description = record
      conversations.push(conversation)
      return
    }
    if (conversation === undefined) throw new InvalidImportError(line, 'no conversation stands before it.')
    if (record.kind === 'thread' || record.kind === 'end') {
      await thread?.flush()
      thread = undefined
      if (record.kind === 'end') {
        if (record.entries !== entries - before)
          throw new InvalidImportError(
            line,
            `${entries - before} entries came of the ${record.entries} that were exported: lines are missing.`,
          )
        const { title, metadata } = description
        if (title !== undefined || metadata !== undefined)
          await store.describeConversation(tenant, conversation, { title, metadata })
        before = entries
        conversation = undefined
      } else {
        const { actor, branch, forkOf } = record
        thread = createStretches(store, { tenant, conversation, actor, branch }, forkOf)
      }
      return
    }
    if (!thread) throw new InvalidImportError(line, 'no thread stands before it.')
    if (record.kind === 'entry') entries += 1
    if (record.kind === 'call') calls += 1
    await thread.take(record)
  }

  for await (const text of lines) {
    line += 1
    if (text.trim() === '') continue
    const record = parseRecord(text, line)
    try {
      await take(record)
    } catch (error) {
      if (error instanceof InvalidImportError || error instanceof StoreError) throw error
      // What a store cannot read, or what we cannot: the line says where to look.
      throw new InvalidImportError(line, error instanceof Error ? error.message : String(error), {
        cause: error,
      })
    }
  }
  if (conversation !== undefined)
    throw new InvalidImportError(
      line,
      'the export ends early. What came is stored; import the whole file to add the rest.',
    )
  return { conversations, entries, calls }
}

function createStretches(
  store: Store,
  key: ThreadKey,
  forkOf: { readonly branch: string; readonly at: number } | undefined,
) {
  let entries: StoredEntry[] = []
  let turns: StoredTurn[] = []
  let isFirst = true

  async function flush(): Promise<void> {
    if (entries.length > 0 || isFirst)
      await store.restore(key, { entries, turns, ...(isFirst && forkOf ? { forkOf } : {}) })
    entries = []
    turns = []
    isFirst = false
  }

  return {
    flush,
    async take(record: Extract<TransferRecord, { kind: 'turn' | 'entry' | 'call' }>): Promise<void> {
      switch (record.kind) {
        case 'turn': {
          const { kind: _, ...turn } = record
          if (entries.length >= stretch) await flush()
          turns.push(turn)
          return
        }
        case 'entry': {
          const { kind: _, payload, ...entry } = record
          // Between two turns anything may be parted; inside of one nothing.
          const isOutside = (turns.at(-1)?.last ?? 0) < entry.seq
          if (isOutside && entries.length >= stretch) await flush()
          entries.push({ ...entry, payload: fromJson(payload) })
          return
        }
        case 'call': {
          const { kind: _, plan, ...call } = record
          await flush()
          await store.saveCall(key, { ...call, plan: fromJson(plan) })
        }
      }
    },
  }
}
