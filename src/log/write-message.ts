import type { Dialect, ToolCall } from './message.ts'
import { listCalls } from './read-tools.ts'

/** A message that we add ourselves. Every provider takes this form. */
export type PlainMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string }
  | { role: 'assistant'; content: string }

interface Source {
  readonly content?: unknown
}
type Part = Record<string, unknown>

const textTypes: readonly unknown[] = ['text', 'input_text', 'output_text', 'refusal']
/** A part that says something, as its message's text does. */
export const isText = (part: unknown) =>
  typeof part === 'string' || textTypes.includes((part as Part | null)?.type)

/** A copy of the message that says `text` instead; images and other parts stay. */
export function withText<M extends object>(source: M, text: string): M {
  const { content } = source as Source
  if (!Array.isArray(content)) return { ...source, content: text }
  const rest = content.filter(part => !isText(part))
  return { ...source, content: text === '' ? rest : [{ type: 'text', text }, ...rest] }
}

/** A copy with a text put before what it says. */
export function withHead<M extends object>(source: M, head: string): M {
  const { content } = source as Source
  if (Array.isArray(content)) return { ...source, content: [{ type: 'text', text: head }, ...content] }
  return { ...source, content: joinTexts(head, content) }
}

/** A copy with a text put after what it says. */
export function withTail<M extends object>(source: M, tail: string): M {
  const { content } = source as Source
  if (!Array.isArray(content)) return { ...source, content: joinTexts(content, tail) }
  // Behind the last text, so that a tool call that ends the message still ends it.
  const last = content.findLastIndex(isText) + 1
  return {
    ...source,
    content: [...content.slice(0, last), { type: 'text', text: tail }, ...content.slice(last)],
  }
}

/** Two messages of one role as one, for templates that want roles to alternate. The first one's shape stays. */
export function joinMessages<M extends object>(first: M, second: M): M {
  const [a, b] = [first as Source & Part, second as Source & Part]
  const content =
    Array.isArray(a.content) || Array.isArray(b.content)
      ? [...toParts(a.content), ...toParts(b.content)]
      : joinTexts(a.content, b.content)
  const joined: Part = { ...b, ...a, content }
  const thinking = joinTexts(a.thinking, b.thinking)
  if (thinking !== '') joined.thinking = thinking
  for (const list of ['images', 'tool_calls']) {
    const both = [...((a[list] as unknown[]) ?? []), ...((b[list] as unknown[]) ?? [])]
    if (both.length > 0) joined[list] = both
  }
  return joined as M
}

/** A message whose content parts that are tool results are changed, or left out where `change` gives nothing. */
export function mapResults<M extends object>(
  source: M,
  change: (part: Part, index: number) => Part | undefined,
): M {
  const { content } = source as Source
  if (!Array.isArray(content)) return source
  let at = -1
  const parts = content.flatMap(part => {
    if ((part as Part | null)?.type !== 'tool-result') return [part]
    at += 1
    return change(part, at) ?? []
  })
  return at < 0 ? source : { ...source, content: parts }
}

/** A tool message with the text of its result `index` replaced. */
export function withResultText<M extends object>(source: M, index: number, text: string): M {
  const changed = mapResults(source, (part, at) => (at === index ? withOutput(part, text) : part))
  return changed === source ? withText(source, text) : changed
}

/** A tool message without the results at these places: they answer no call. */
export function withoutResults<M extends object>(source: M, indexes: readonly number[]): M {
  const gone = new Set(indexes)
  return mapResults(source, (part, at) => (gone.has(at) ? undefined : part))
}

/** The result of a call in the shape that the provider of the call expects. */
export function toolResultFor(dialect: Dialect, call: ToolCall, text: string): { role: 'tool' } & Part {
  switch (dialect) {
    case 'ai-sdk': {
      const output = { type: 'text', value: text }
      return {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: call.id, toolName: call.name, output }],
      }
    }
    case 'openai':
      return { role: 'tool', tool_call_id: call.id ?? call.name, content: text }
    case 'ollama':
      return {
        role: 'tool',
        tool_name: call.name,
        ...(call.id ? { tool_call_id: call.id } : {}),
        content: text,
      }
  }
}

function joinTexts(a: unknown, b: unknown): string {
  const texts = [a, b].filter(text => typeof text === 'string' && text !== '')
  return texts.join('\n\n')
}

function toParts(content: unknown): unknown[] {
  if (Array.isArray(content)) return content
  return typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : []
}

/** A copy with every text changed: its own, its text parts, its tool results. The same object when nothing changes. */
export function mapTexts<M extends object>(source: M, change: (text: string) => string): M {
  const { content } = source as Source
  if (typeof content === 'string') {
    const changed = change(content)
    return changed === content ? source : { ...source, content: changed }
  }
  if (!Array.isArray(content)) return source
  const parts = content.map(part => mapPart(part, change))
  return parts.every((part, index) => part === content[index]) ? source : { ...source, content: parts }
}

function mapPart(part: unknown, change: (text: string) => string): unknown {
  if (typeof part === 'string') return change(part)
  const { type, text, refusal } = (part ?? {}) as Part
  if (type === 'tool-result') return mapResult(part as Part, change)
  if (typeof refusal === 'string') return changed(part as Part, 'refusal', refusal, change)
  return typeof text === 'string' ? changed(part as Part, 'text', text, change) : part
}

/** The AI SDK wraps a result; older versions call it `result` and do not. */
function mapResult(part: Part, change: (text: string) => string): Part {
  const output = part.output as { type?: unknown; value?: unknown } | undefined
  const value = output === undefined ? part.result : output.value
  if (output?.type === 'content' && Array.isArray(value)) {
    const parts = value.map(one => mapPart(one, change))
    return parts.every((one, at) => one === value[at])
      ? part
      : { ...part, output: { ...output, value: parts } }
  }
  const said = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  const text = change(said)
  return text === said ? part : withOutput(part, text)
}

/** A result that says another text; an error stays an error. */
function withOutput({ result: _, ...part }: Part, text: string): Part {
  const { type } = (part.output ?? {}) as { type?: unknown }
  const isError = type === 'error-text' || type === 'error-json'
  return { ...part, output: { type: isError ? 'error-text' : 'text', value: text } }
}

function changed(part: Part, key: string, text: string, change: (text: string) => string): Part {
  const other = change(text)
  return other === text ? part : { ...part, [key]: other }
}

/** An assistant message without the calls at these places, counted as they were read: first those beside the content. */
export function withoutCalls<M extends object>(source: M, indexes: readonly number[]): M {
  const gone = new Set(indexes)
  let at = 0
  const stays = () => !gone.has(at++)
  const { tool_calls: calls, function_call: single, content, ...rest } = source as Source & Part
  const left = (listCalls(source as Part) ?? []).filter(stays)
  return {
    ...rest,
    ...('content' in source && {
      content: Array.isArray(content)
        ? content.filter(part => (part as Part | null)?.type !== 'tool-call' || stays())
        : content,
    }),
    ...(left.length > 0 && (calls ? { tool_calls: left } : { function_call: single })),
  } as M
}
