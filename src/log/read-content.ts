import { InvalidMessageError } from './error.ts'
import type { ToolCall, ToolResult } from './message.ts'
import { isFilled, toCall } from './read-tools.ts'
import { toJson } from './to-json.ts'

interface Content {
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

type Part = Record<string, unknown>

/** Reads `content`: a text, nothing, or a list of parts as OpenAI and the AI SDK have them. */
export function readContent(source: Record<string, unknown>, seq: number): Content {
  const content: Content = {
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
    throw new InvalidMessageError(seq, `"content" must be a text or a list of parts, not a ${typeof value}`)
  }
  return content
}

/** Refuses messages with `parts` in place of `content` (other libraries); the error says where they come from and what to do. */
export function refuseParts({ role, content, parts }: Record<string, unknown>, seq: number): void {
  if ((content !== undefined && content !== null) || !Array.isArray(parts)) return
  const isUi = role !== 'model' && parts.every(part => typeof part?.type === 'string')
  throw new InvalidMessageError(
    seq,
    isUi
      ? 'is a UI message ("parts"): convert it with convertToModelMessages first'
      : 'is a message of Gemini\'s own API ("parts"): give its texts as "content", role "model" as "assistant", functionCall as tool_calls, functionResponse as a tool message',
  )
}

export function readText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function readPart(content: Content, value: unknown, seq: number, where: string): void {
  if (isText(value)) return addText(content, textOf(value))
  if (typeof value !== 'object' || value === null) {
    throw new InvalidMessageError(
      seq,
      `"${where}" must be a part, not ${value === null ? 'null' : typeof value}`,
    )
  }
  const part = value as Part
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
      // The AI SDK has one word, and names the bytes `image` or `data`; OpenAI's file part has a `file` object.
      content[part.type.includes('_') || 'file' in part ? 'openai' : 'aiSdk'] = true
      content.media += 1
      return
    case 'tool-call':
      content.aiSdk = true
      if (typeof part.toolName !== 'string') throw new InvalidMessageError(seq, `"${where}" has no toolName`)
      content.calls.push(
        toCall(part.toolCallId, part.toolName, part.input ?? part.args, seq, `${where}.input`),
      )
      return
    case 'tool-result':
      content.aiSdk = true
      content.results.push(
        toResult(
          part.toolCallId,
          part.toolName,
          outputText(content, part.output ?? part.result, seq, `${where}.output`),
        ),
      )
      return
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
export const isText = (part: unknown): part is string | Part =>
  typeof part === 'string' || textTypes.includes((part as Part | null)?.type)

function textOf(part: string | Part): string {
  return readText(typeof part === 'string' ? part : part.type === 'refusal' ? part.refusal : part.text)
}

function addText(content: Content, text: string): void {
  content.text = content.text === undefined ? text : `${content.text}\n${text}`
}

export function toResult(callId: unknown, name: unknown, text: string): ToolResult {
  return { ...(isFilled(callId) && { callId }), ...(isFilled(name) && { name }), text }
}

/** The AI SDK wraps a result: { type: 'text' | 'json' | 'error-text' | 'error-json' | 'content', value }. */
function outputText(content: Content, output: unknown, seq: number, where: string): string {
  const { type, value, reason } = (output ?? {}) as { type?: unknown; value?: unknown; reason?: unknown }
  if (type === 'execution-denied') return `Error: ${readText(reason) || 'execution denied'}`
  if (type !== 'content' || !Array.isArray(value)) {
    const inner = type === undefined || value === undefined ? output : value
    return typeof inner === 'string' ? inner : toJson(inner, seq, where)
  }
  const texts = value.filter(part => (part as Part | null)?.type === 'text')
  content.media += value.length - texts.length
  return texts.map(part => readText((part as Part).text)).join('\n')
}
