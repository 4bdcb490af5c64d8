import { InvalidMessageError } from './error.ts'
import type { Fields } from './fields.ts'
import type { ToolCall, ToolResult } from './message.ts'

interface ReadContent {
  /** Absent when there are only parts without text, as in an AI SDK tool message. */
  text?: string
  thinking: string
  calls: ToolCall[]
  results: ToolResult[]
  media: number
  unknown: string
  aiSdk: boolean
  openai: boolean
}

/** Reads `content`: a text, nothing, or a list of parts as OpenAI and the AI SDK have them. */
export function readContent(source: Fields, seq: number): ReadContent {
  const content: ReadContent = {
    thinking: '',
    calls: [],
    results: [],
    media: 0,
    unknown: '',
    aiSdk: false,
    openai: false,
  }
  const value = source.content
  if (typeof value === 'string') content.text = value
  else if (value === undefined || value === null) {
    content.text = ''
  } else if (Array.isArray(value)) {
    for (const [index, part] of value.entries()) readPart(content, part, seq, `content[${index}]`)
  } else {
    throw new InvalidMessageError(
      seq,
      `"content" must be a text or a list of parts, not a ${typeof value}`,
    )
  }
  return content
}

export const readText = (value: unknown): string => (typeof value === 'string' ? value : '')

function readPart(content: ReadContent, value: unknown, seq: number, where: string): void {
  if (isText(value)) return addText(content, textOf(value))
  if (typeof value !== 'object' || value === null) {
    throw new InvalidMessageError(
      seq,
      `"${where}" must be a part, not ${value === null ? 'null' : typeof value}`,
    )
  }
  const part = value as Fields
  switch (part.type) {
    case 'reasoning':
    case 'thinking':
      content.aiSdk ||= part.type === 'reasoning'
      content.thinking += readText(part.text ?? part.thinking)
      return
    case 'image_url':
    case 'input_audio':
    case 'input_image':
    case 'input_file':
    case 'image':
    case 'file':
    case 'reasoning-file':
      // The AI SDK has one word, and names the bytes `image` or `data`; OpenAI's file part has a `file` object.
      content[part.type.includes('_') || 'file' in part ? 'openai' : 'aiSdk'] = true
      content.media += 1
      return
    case 'tool-call':
      content.aiSdk = true
      if (typeof part.toolName !== 'string')
        throw new InvalidMessageError(seq, `"${where}" has no toolName`)
      content.calls.push(
        toCall(part.toolCallId, part.toolName, part.input ?? part.args, seq, `${where}.input`),
      )
      return
    case 'tool-result': {
      content.aiSdk = true
      const text = outputText(content, part.output ?? part.result, seq, `${where}.output`)
      content.results.push(toResult(part.toolCallId, part.toolName, text))
      return
    }
    case 'tool_use':
    case 'tool_result':
      throw new InvalidMessageError(
        seq,
        `"${where}" is a ${part.type} part, which only Anthropic's own API has: convert it to tool_calls and a tool message`,
      )
    default:
      content.unknown += toJson(part, seq, where)
  }
}

const textTypes: readonly unknown[] = ['text', 'input_text', 'output_text', 'refusal']
export const isText = (part: unknown): part is string | Fields =>
  typeof part === 'string' || textTypes.includes((part as Fields | null)?.type)

function textOf(part: string | Fields): string {
  return readText(
    typeof part === 'string' ? part : part.type === 'refusal' ? part.refusal : part.text,
  )
}

function addText(content: ReadContent, text: string): void {
  content.text = content.text === undefined ? text : `${content.text}\n${text}`
}

export function toResult(callId: unknown, name: unknown, text: string): ToolResult {
  return { ...(isFilled(callId) && { callId }), ...(isFilled(name) && { name }), text }
}

/** The texts and files of a result of the AI SDK that is a list of them; undefined for other parts. */
export function outputParts(part: unknown): readonly Fields[] | undefined {
  const { type, output } = (part ?? {}) as Fields
  const { type: kind, value } = (output ?? {}) as Fields
  return type === 'tool-result' && kind === 'content' && Array.isArray(value) ? value : undefined
}

/** The AI SDK wraps a result: { type: 'text' | 'json' | 'error-text' | 'error-json' | 'content', value }. */
function outputText(content: ReadContent, output: unknown, seq: number, where: string): string {
  const { type, value, reason } = (output ?? {}) as {
    type?: unknown
    value?: unknown
    reason?: unknown
  }
  if (type === 'execution-denied') return `Error: ${readText(reason) || 'execution denied'}`
  if (type !== 'content' || !Array.isArray(value)) {
    const inner = type === undefined || value === undefined ? output : value
    return typeof inner === 'string' ? inner : toJson(inner, seq, where)
  }
  const texts = value.filter(part => (part as Fields | null)?.type === 'text')
  content.media += value.length - texts.length
  return texts.map(part => readText((part as Fields).text)).join('\n')
}

/** The tool calls of an Ollama or OpenAI message. (The AI SDK's are content parts.) */
export function readCalls(
  source: Fields,
  seq: number,
): { calls: readonly ToolCall[]; openai: boolean } {
  if (!Array.isArray(source.tool_calls ?? []))
    throw new InvalidMessageError(seq, '"tool_calls" must be an array')
  const list = listCalls(source)
  const calls = list.map((call, index) => readCall(call, seq, `tool_calls[${index}]`))
  return { calls, openai: list.some(isOpenAi) }
}

/** The calls beside the content: `tool_calls`, or OpenAI's older single `function_call` where that list is absent or empty. */
export function listCalls({ tool_calls: list, function_call: single }: Fields): readonly unknown[] {
  if (Array.isArray(list) && list.length > 0) return list
  return single ? [{ function: single }] : []
}

function readCall(value: unknown, seq: number, where: string): ToolCall {
  const call = (value ?? {}) as { id?: unknown; function?: Fields; custom?: Fields }
  const called = call.function ?? call.custom
  if (typeof called?.name !== 'string')
    throw new InvalidMessageError(seq, `"${where}" has no function name`)
  return toCall(
    call.id,
    called.name,
    called.arguments ?? called.input,
    seq,
    `${where}.function.arguments`,
  )
}

function toCall(id: unknown, name: string, input: unknown, seq: number, where: string): ToolCall {
  const text = typeof input === 'string' ? input : toJson(input ?? {}, seq, where)
  return { ...(isFilled(id) && { id }), name, arguments: text }
}

export const isFilled = (value: unknown): value is string =>
  typeof value === 'string' && value !== ''

/** OpenAI writes arguments as a string, Ollama as an object. */
function isOpenAi(value: unknown): boolean {
  const call = value as { type?: unknown; function?: { arguments?: unknown } }
  return call.type === 'function' || typeof call.function?.arguments === 'string'
}

/** A part of a message as JSON. Throws on what JSON cannot hold (a cycle, a BigInt, absurd depth): it could not be sent either. */
export function toJson(value: unknown, seq: number, where: string): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch (error) {
    const why =
      error instanceof RangeError ? 'it is nested too deeply' : String((error as Error).message)
    const short = why.split('\n', 1)[0]
    throw new InvalidMessageError(seq, `"${where}" cannot be written as JSON: ${short}`, {
      cause: error,
    })
  }
}
