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
  readonly isError?: boolean | undefined
}

type RawJson = Readonly<Record<string, unknown>>

/** Reads a message in any of the forms that are logged: of Ollama, OpenAI or the AI SDK. Unknown parts are left out. */
export function readShown(message: ShownMessage): ChatMessage {
  const fields = message as unknown as RawJson
  const role = roles[message.role] ?? 'system'
  const parts = partsOf(fields.content)
  const text = parts.filter(isText).map(textOf).join('\n')
  const results = parts.filter(part => part.type === 'tool-result').map(toResult)
  const reasoning = toText(fields.thinking ?? fields.reasoning_content ?? fields.reasoning)
  return {
    ...{ seq: message.seq, role, text: role === 'tool' ? '' : text },
    thinking: parts.filter(isThinking).map(toThinking).join('') + reasoning,
    calls: [...callsOf(fields), ...parts.filter(part => part.type === 'tool-call').map(toCall)],
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

function partsOf(content: unknown): readonly RawJson[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) return []
  return content.map(part =>
    typeof part === 'object' && part !== null ? (part as RawJson) : { type: 'text', text: toText(part) },
  )
}

const isText = ({ type }: RawJson) => ['text', 'input_text', 'output_text', 'refusal'].includes(String(type))
const isThinking = ({ type }: RawJson) => type === 'reasoning' || type === 'thinking'
const isMedia = ({ type }: RawJson) => /image|audio|file/.test(String(type))
const textOf = ({ text, refusal }: RawJson) => toText(text ?? refusal)
const toThinking = ({ text, thinking }: RawJson) => toText(text ?? thinking)
const toText = (value: unknown): string => (typeof value === 'string' ? value : '')
const named = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

/** OpenAI's older single `function_call` counts where there is no list. */
function callsOf({ tool_calls: list, function_call: single }: RawJson): readonly ReadCall[] {
  const calls = Array.isArray(list) && list.length > 0 ? list : single ? [{ function: single }] : []
  return calls.map(one => {
    const {
      id,
      function: called,
      custom,
    } = (one ?? {}) as { id?: unknown; function?: RawJson; custom?: RawJson }
    const { name, arguments: callArguments, input } = called ?? custom ?? {}
    return { id: named(id), name: named(name) ?? 'tool', arguments: toJson(callArguments ?? input ?? {}) }
  })
}

const toCall = ({ toolCallId, toolName, input, args }: RawJson): ReadCall => ({
  ...{ id: named(toolCallId), name: named(toolName) ?? 'tool', arguments: toJson(input ?? args ?? {}) },
})

function toResult({ toolCallId, toolName, output, result }: RawJson): ReadResult {
  const content = output ?? result
  const { type, value } = (typeof content === 'object' && content !== null ? content : {}) as RawJson
  const text =
    type === 'content' && Array.isArray(value)
      ? value.map(part => textOf(part as RawJson)).join('\n')
      : toJson(value ?? content)
  return { id: named(toolCallId), name: named(toolName), text, isError: String(type).startsWith('error') }
}

const bareResult = (message: RawJson, text: string): ReadResult => ({
  ...{ id: named(message.tool_call_id), name: named(message.tool_name ?? message.name), text },
})

const toJson = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

function toTime(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : Number(value ?? Number.NaN)
  return Number.isFinite(time) ? time : undefined
}
