import { InvalidMessageError } from './error.ts'
import type { ToolCall } from './message.ts'
import { toJson } from './to-json.ts'

interface Calls {
  readonly calls: readonly ToolCall[]
  /** OpenAI writes arguments as a string, Ollama as an object. */
  readonly openai: boolean
}

const none: Calls = { calls: [], openai: false }

/** The tool calls of an Ollama or OpenAI message. (The AI SDK's are content parts.) */
export function readCalls(source: Record<string, unknown>, seq: number): Calls {
  const list = listCalls(source)
  if (list === undefined || list === null) return none
  if (!Array.isArray(list)) throw new InvalidMessageError(seq, '"tool_calls" must be an array')
  const calls = list.map((call, index) => readCall(call, seq, `tool_calls[${index}]`))
  return { calls, openai: list.some(isOpenAi) }
}

/** The calls beside the content: OpenAI's first way had only one. */
export function listCalls(source: Record<string, unknown>): readonly unknown[] | undefined | null {
  const { tool_calls: list, function_call: single } = source
  return (list ?? (single ? [{ function: single }] : undefined)) as readonly unknown[] | undefined | null
}

function readCall(value: unknown, seq: number, where: string): ToolCall {
  const call = (value ?? {}) as { id?: unknown; function?: unknown; custom?: unknown }
  const called = (call.function ?? call.custom) as
    | { name?: unknown; arguments?: unknown; input?: unknown }
    | undefined
  if (typeof called?.name !== 'string') {
    throw new InvalidMessageError(seq, `"${where}" has no function name`)
  }
  return toCall(call.id, called.name, called.arguments ?? called.input, seq, `${where}.function.arguments`)
}

export function toCall(id: unknown, name: string, input: unknown, seq: number, where: string): ToolCall {
  const text = typeof input === 'string' ? input : toJson(input ?? {}, seq, where)
  return typeof id === 'string' && id !== '' ? { id, name, arguments: text } : { name, arguments: text }
}

function isOpenAi(value: unknown): boolean {
  const call = value as { type?: unknown; function?: { arguments?: unknown } }
  return call.type === 'function' || typeof call.function?.arguments === 'string'
}
