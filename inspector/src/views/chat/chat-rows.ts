import type { Fields } from '../../../../src/log/fields.ts'
import { isFilled, isText, listCalls, readText } from '../../../../src/log/read-content.ts'
import type { PageCall, ShownBlock, ShownMessage } from '../../api/chat-queries.ts'
import type { SentRow } from '../../api/timeline.ts'
import type { AnsweredCall, ReadCall, ReadResult } from '../../parts/live-replies.ts'
import { entryOf, type RecallSource } from '../../parts/sent-rows.ts'

/** A message as a row of the chat: the results of its calls stand with it. */
export interface ChatRow {
  readonly message: ChatMessage
  readonly calls: readonly AnsweredCall[]
  /** The time of the message before it. */
  readonly before?: number | undefined
  /** What was brought back for it when it was asked. */
  readonly brought?: BroughtEntries | undefined
  readonly call?: PageCall | undefined
}

export interface BroughtEntries {
  readonly entries: readonly number[]
  readonly sources: readonly RecallSource[]
}

/**
 * The rows of what has been read. An entry that is not among them is not for users, or is a result that stands with its call.
 * A result without a call is a row of its own.
 */
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
  const byId = calls.findIndex(call => isFree(call) && call.id !== undefined && call.id === result.id)
  const byName = calls.findIndex(call => isFree(call) && call.id === undefined && call.name === result.name)
  const inOrder = result.id === undefined && result.name === undefined ? calls.findIndex(isFree) : -1
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
export interface ChatMessage {
  readonly seq: number
  readonly role: 'user' | 'assistant' | 'tool' | 'system'
  readonly text: string
  readonly thinking: string
  readonly calls: readonly ReadCall[]
  readonly results: readonly ReadResult[]
  /** Images and other files. */
  readonly media: number
  readonly time?: number | undefined
}

/** Reads a message in any of the forms that are logged: of Ollama, OpenAI or the AI SDK. Unknown parts are left out. */
export function readShown(message: ShownMessage): ChatMessage {
  const fields = message as unknown as Fields
  const role = roles[message.role] ?? 'system'
  const parts = partsOf(fields.content)
  const text = parts.filter(isText).map(textOf).join('\n')
  const results = parts.filter(part => part.type === 'tool-result').map(toResult)
  const reasoning = readText(fields.thinking ?? fields.reasoning_content ?? fields.reasoning)
  return {
    ...{ seq: message.seq, role, text: role === 'tool' ? '' : text },
    thinking: parts.filter(isThinking).map(toThinking).join('') + reasoning,
    calls: [
      ...callsOf(fields),
      ...parts
        .filter(part => part.type === 'tool-call')
        .map(({ toolCallId, toolName, input, args }) => toCall(toolCallId, toolName, input ?? args)),
    ],
    results: role === 'tool' && results.length === 0 ? [bareResult(fields, text)] : results,
    media: parts.filter(isMedia).length + (Array.isArray(fields.images) ? fields.images.length : 0),
    time: toTime(fields.time),
  }
}

const roles: Readonly<Record<string, ChatMessage['role']>> = {
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
}

function partsOf(content: unknown): readonly Fields[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) return []
  return content.map(part =>
    typeof part === 'object' && part !== null ? (part as Fields) : { type: 'text', text: readText(part) },
  )
}

const isThinking = ({ type }: Fields) => type === 'reasoning' || type === 'thinking'
const isMedia = ({ type }: Fields) => /image|audio|file/.test(String(type))
const textOf = ({ text, refusal }: Fields) => readText(text ?? refusal)
const toThinking = ({ text, thinking }: Fields) => readText(text ?? thinking)
const named = (value: unknown) => (isFilled(value) ? value : undefined)

const callsOf = (message: Fields): readonly ReadCall[] =>
  listCalls(message).map(one => {
    const call = (one ?? {}) as { id?: unknown; function?: Fields; custom?: Fields }
    const { name, arguments: callArguments, input } = call.function ?? call.custom ?? {}
    return toCall(call.id, name, callArguments ?? input)
  })

const toCall = (id: unknown, name: unknown, input: unknown): ReadCall => ({
  ...{ id: named(id), name: named(name) ?? 'tool', arguments: toJson(input ?? {}) },
})

function toResult({ toolCallId, toolName, output, result }: Fields): ReadResult {
  const content = output ?? result
  const { type, value } = (typeof content === 'object' && content !== null ? content : {}) as Fields
  const text =
    type === 'content' && Array.isArray(value)
      ? value.map(part => textOf(part as Fields)).join('\n')
      : toJson(value ?? content)
  return { id: named(toolCallId), name: named(toolName), text, isError: String(type).startsWith('error') }
}

const bareResult = (message: Fields, text: string): ReadResult => ({
  ...{ id: named(message.tool_call_id), name: named(message.tool_name ?? message.name), text },
})

const toJson = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

function toTime(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number(value ?? Number.NaN)
  return Number.isFinite(time) ? time : undefined
}
