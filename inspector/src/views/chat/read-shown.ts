import type { Fields } from '../../../../src/log/fields.ts'
import { isFilled, isText, listCalls, readText } from '../../../../src/log/read-content.ts'
import type { ShownMessage } from '../../api/chat-queries.ts'

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

export interface ReadCall {
  readonly id?: string | undefined
  readonly name: string
  /** As JSON text. */
  readonly arguments: string
}

export interface ReadResult {
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly text: string
  readonly isError?: boolean
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
