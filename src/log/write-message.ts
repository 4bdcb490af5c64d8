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
  return { ...source, content: joinTexts([head, content]) }
}

/** A copy with a text put after what it says. */
export function withTail<M extends object>(source: M, tail: string): M {
  const { content } = source as Source
  if (!Array.isArray(content)) return { ...source, content: joinTexts([content, tail]) }
  // Behind the last text, so that a tool call that ends the message still ends it.
  const last = content.findLastIndex(isText) + 1
  return {
    ...source,
    content: [...content.slice(0, last), { type: 'text', text: tail }, ...content.slice(last)],
  }
}

/** Messages of one role as one, for templates that want roles to alternate. The first one's shape stays. */
export function joinMessages<M extends object>(sources: readonly M[]): M {
  const joined: Part = {}
  for (const source of sources.toReversed()) Object.assign(joined, source)
  const all = (field: string) => sources.map(source => (source as Part)[field])
  joined.content = joinContents(all('content'))
  for (const field of ['thinking', 'reasoning_content', 'reasoning']) {
    const text = joinTexts(all(field))
    if (text !== '') joined[field] = text
  }
  const images = all('images').flatMap(list => (Array.isArray(list) ? list : []))
  if (images.length > 0) joined.images = images
  // Calls of any of them are calls of the whole: what says in one that there are none does not hold for the others.
  const calls = all('tool_calls').flatMap(list => (Array.isArray(list) ? list : []))
  const { tool_calls: _, function_call: __, ...rest } = joined
  const single = all('function_call').find(Boolean)
  return {
    ...rest,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(single ? { function_call: single } : {}),
  } as M
}

/** Texts as one text; from the first list of parts on as parts. */
function joinContents(contents: readonly unknown[]): unknown {
  const first = contents.findIndex(Array.isArray)
  if (first < 0) return joinTexts(contents)
  return [joinTexts(contents.slice(0, first)), ...contents.slice(first)].flatMap(toParts)
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

/** A message with the texts of its results replaced, by their places. */
export function withResultTexts<M extends object>(source: M, texts: ReadonlyMap<number, string>): M {
  const changed = mapResults(source, (part, at) => {
    const text = texts.get(at)
    return text === undefined ? part : withOutput(part, text)
  })
  // Without such parts the content itself is the one result.
  return changed === source ? withText(source, texts.get(0) ?? '') : changed
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

function joinTexts(values: readonly unknown[]): string {
  return values.filter(text => typeof text === 'string' && text !== '').join('\n\n')
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

/** A message without the calls at these places, or without any. They count as they were read: first those beside the content. */
export function withoutCalls<M extends object>(source: M, indexes?: readonly number[]): M {
  const gone = indexes && new Set(indexes)
  let at = 0
  const stays = () => gone !== undefined && !gone.has(at++)
  const { tool_calls: calls, function_call: single, content, ...rest } = source as Source & Part
  const left = listCalls(source as Part).filter(stays)
  const isList = Array.isArray(calls) && calls.length > 0
  return {
    ...rest,
    ...('content' in source && {
      content: Array.isArray(content)
        ? content.filter(part => (part as Part | null)?.type !== 'tool-call' || stays())
        : content,
    }),
    ...(left.length > 0 && (isList ? { tool_calls: left } : { function_call: single })),
  } as M
}
