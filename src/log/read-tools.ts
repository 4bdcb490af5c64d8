import { InvalidMessageError } from './error.ts'
import type { ToolCall } from './message.ts'
import { toJson } from './to-json.ts'

interface Calls {
  readonly calls: readonly ToolCall[]
  /** OpenAI writes arguments as a string, Ollama as an object. */
  readonly openai: boolean
}

/** The tool calls of an Ollama or OpenAI message. (The AI SDK's are content parts.) */
export function readCalls(source: Record<string, unknown>, seq: number): Calls {
  if (!Array.isArray(source.tool_calls ?? []))
    throw new InvalidMessageError(seq, '"tool_calls" must be an array')
  const list = listCalls(source)
  const calls = list.map((call, index) => readCall(call, seq, `tool_calls[${index}]`))
  return { calls, openai: list.some(isOpenAi) }
}

/** The calls beside the content: `tool_calls`, or OpenAI's older single `function_call` where that list is absent or empty. */
export function listCalls({
  tool_calls: list,
  function_call: single,
}: Record<string, unknown>): readonly unknown[] {
  if (Array.isArray(list) && list.length > 0) return list
  return single ? [{ function: single }] : []
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
  return { ...(isFilled(id) && { id }), name, arguments: text }
}

export const isFilled = (value: unknown): value is string => typeof value === 'string' && value !== ''

function isOpenAi(value: unknown): boolean {
  const call = value as { type?: unknown; function?: { arguments?: unknown } }
  return call.type === 'function' || typeof call.function?.arguments === 'string'
}
