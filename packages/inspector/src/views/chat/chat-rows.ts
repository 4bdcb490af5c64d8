import type { Fields } from '@throughline/core/fields'
import { type Message, readMessage } from '@throughline/core/messages'
import type { PageCall, ShownBlock, ShownMessage } from '../../api/chat-queries.ts'
import type { SentRow } from '../../api/timeline.ts'
import type { AnsweredCall, ReadResult } from '../../parts/live-replies.ts'
import { entryOf, type RecallSource } from '../../parts/sent-rows.ts'
import { picturesOf } from './pictures.ts'

/** A message as a row of the chat: the results of its calls stand with it. */
export interface ChatRow {
  readonly message: ChatMessage
  readonly calls: readonly AnsweredCall[]
  readonly before?: number | undefined
  /** What was brought back for it when it was asked. */
  readonly brought?: BroughtEntries | undefined
  readonly call?: PageCall | undefined
}

export interface BroughtEntries {
  readonly entries: readonly number[]
  readonly sources: readonly RecallSource[]
}

/** Rows by entry. An entry without one is not for users, or is a result that stands with its call. */
export function toChatRows(blocks: readonly ShownBlock[]): ReadonlyMap<number, ChatRow> {
  const rows = new Map<number, ChatRow>()
  let round: AnsweredCall[] = []
  let before: number | undefined
  for (const { messages } of blocks)
    for (const shown of messages.values()) {
      const message = readOnce(shown)
      if (message.role === 'tool') {
        const strays = message.results.filter(result => !answer(round, result))
        if (strays.length > 0)
          rows.set(message.seq, { message: { ...message, results: strays }, calls: [], before })
      } else {
        round = [...message.calls]
        rows.set(message.seq, { message, calls: round, before })
      }
      before = message.time ?? before
    }
  for (const { calls } of blocks) for (const call of calls) addCall(rows, call)
  return rows
}

/** Puts a call to the reply after its last entry, and its recalled entries to the message that they were first recalled for. */
function addCall(rows: Map<number, ChatRow>, call: PageCall): void {
  const reply = rows.get(call.at + 1)
  if (reply?.message.role === 'assistant') rows.set(call.at + 1, { ...reply, call })
  const asking = call.asking === undefined ? undefined : rows.get(call.asking)
  if (asking && !asking.brought && call.recalled.length > 0)
    rows.set(asking.message.seq, {
      ...asking,
      brought: { entries: call.recalled.toSorted((a, b) => a - b), sources: [] },
    })
}

const messageCache = new WeakMap<ShownMessage, ChatMessage>()

function readOnce(shown: ShownMessage): ChatMessage {
  const message = messageCache.get(shown) ?? readShown(shown)
  messageCache.set(shown, message)
  return message
}

/** Puts a result to its call: by its id, else by its name, else in order. False if there is none. */
function answer(calls: AnsweredCall[], result: ReadResult): boolean {
  const isFree = (call: AnsweredCall) => call.result === undefined
  const byId = calls.findIndex(
    call => isFree(call) && call.id !== undefined && call.id === result.id,
  )
  const byName = calls.findIndex(
    call => isFree(call) && call.id === undefined && call.name === result.name,
  )
  const inOrder =
    result.id === undefined && result.name === undefined ? calls.findIndex(isFree) : -1
  const at = [byId, byName, inOrder].find(index => index >= 0)
  if (at === undefined) return false
  calls[at] = { ...calls[at]!, result }
  return true
}

/** The entries that a call brought back, by message: a block stands before the message that it was recalled for. */
export function broughtOf(rows: readonly SentRow[]): ReadonlyMap<number, BroughtEntries> {
  const bySeq = new Map<number, BroughtEntries>()
  let entries: number[] = []
  let sources: RecallSource[] = []
  for (const row of rows) {
    const seq = entryOf(row)
    for (const { part, standsFor } of [row, ...(row.joined ?? [])])
      if (part === 'recall') for (const entry of standsFor) entries.push(entry)
    for (const source of row.sources ?? []) sources.push(source)
    if (row.role === 'user' && seq !== undefined && entries.length + sources.length > 0) {
      bySeq.set(seq, { entries: entries.toSorted((a, b) => a - b), sources })
      entries = []
      sources = []
    }
  }
  return bySeq
}

/** A message as this view shows it, the same for all clients. */
export interface ChatMessage extends Omit<Message, 'dialect' | 'unknown' | 'results'> {
  readonly seq: number
  readonly results: readonly ReadResult[]
  /** Those of its files that can be drawn, as addresses. */
  readonly pictures: readonly string[]
}

/** Reads a message in any of the forms that are logged: of Ollama, OpenAI or the AI SDK. One of no such form shows nothing. */
export function readShown(shown: ShownMessage): ChatMessage {
  const { seq } = shown
  try {
    const message = readMessage(shown, seq)
    const failed = failedCalls((shown as Fields).content)
    const results = message.results.map(({ callId: id, name, text }) => ({
      id,
      name,
      text,
      isError: failed.has(id),
    }))
    const pictures = message.media > 0 ? picturesOf(shown) : []
    return { ...message, seq, results, pictures, text: message.role === 'tool' ? '' : message.text }
  } catch {
    return {
      seq,
      role: 'system',
      text: '',
      thinking: '',
      calls: [],
      results: [],
      pictures: [],
      media: 0,
    }
  }
}

/** The AI SDK says in a result that its call failed; other forms do not. */
const failedCalls = (content: unknown): ReadonlySet<unknown> =>
  new Set(
    (Array.isArray(content) ? (content as readonly Fields[]) : [])
      .filter(({ output, result }) =>
        /^error/.test(String(((output ?? result ?? {}) as Fields).type)),
      )
      .map(({ toolCallId }) => toolCallId),
  )
