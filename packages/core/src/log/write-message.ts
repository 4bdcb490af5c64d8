import type { Fields } from './fields.ts'
import type { MessageDialect, ToolCall } from './message.ts'
import { isFilled, isText, listCalls } from './read-content.ts'

/** A message that the library adds. Every provider takes this form. */
export type PlainMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string }
  | { role: 'assistant'; content: string }

/** A copy of the message that says `text` instead; images and other parts stay. */
export function withText<M extends object>(source: M, text: string): M {
  const { content } = source as Fields
  if (!Array.isArray(content)) return { ...source, content: text }
  return { ...source, content: [...toParts(text), ...content.filter(part => !isText(part))] }
}

export function withHead<M extends object>(source: M, head: string): M {
  return { ...source, content: joinContents([head, (source as Fields).content]) }
}

export function withTail<M extends object>(source: M, tail: string): M {
  const { content } = source as Fields
  if (!Array.isArray(content)) return { ...source, content: joinTexts([content, tail]) }
  // After the last text part, so that a tool call that ends the message still ends it.
  const last = content.findLastIndex(isText) + 1
  return {
    ...source,
    content: [...content.slice(0, last), ...toParts(tail), ...content.slice(last)],
  }
}

/** Joins messages of one role into one, for templates that want roles to alternate. The first message's shape stays. */
export function joinMessages<M extends object>(sources: readonly M[]): M {
  const joined: Record<string, unknown> = {}
  for (const source of sources.toReversed()) Object.assign(joined, source)
  const all = (field: string) => sources.map(source => (source as Fields)[field])
  joined.content = joinContents(all('content'))
  for (const field of ['thinking', 'reasoning_content', 'reasoning']) {
    const text = joinTexts(all(field))
    if (text !== '') joined[field] = text
  }
  const lists = (field: string) => all(field).flatMap(list => (Array.isArray(list) ? list : []))
  const images = lists('images')
  if (images.length > 0) joined.images = images
  // The joined message has the calls of all: an empty `tool_calls` in one must not hide the calls of another.
  const calls = lists('tool_calls')
  const { tool_calls: _, function_call: __, ...rest } = joined
  const single = all('function_call').find(Boolean)
  return {
    ...rest,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(single ? { function_call: single } : {}),
  } as M
}

/** Joins texts to one text; as soon as one content is a list of parts, the result is a list of parts. */
function joinContents(contents: readonly unknown[]): unknown {
  const first = contents.findIndex(Array.isArray)
  if (first < 0) return joinTexts(contents)
  return [joinTexts(contents.slice(0, first)), ...contents.slice(first)].flatMap(toParts)
}

/** A copy of the message with every tool-result part changed by `change`, or left out where `change` returns nothing. */
export function mapResults<M extends object>(
  source: M,
  change: (part: Fields, index: number) => Fields | undefined,
): M {
  const { content } = source as Fields
  if (!Array.isArray(content)) return source
  let at = -1
  const parts = content.flatMap(part => {
    if ((part as Fields | null)?.type !== 'tool-result') return [part]
    at += 1
    return change(part, at) ?? []
  })
  return at < 0 ? source : { ...source, content: parts }
}

/** A copy of the message with the texts of its tool results replaced; keys are the places of the results. */
export function withResultTexts<M extends object>(
  source: M,
  texts: ReadonlyMap<number, string>,
): M {
  const changed = mapResults(source, (part, at) => {
    const text = texts.get(at)
    return text === undefined ? part : withOutput(part, text)
  })
  // A message without result parts has one result: its content.
  return changed === source ? withText(source, texts.get(0) ?? '') : changed
}

export function withoutResults<M extends object>(source: M, indexes: readonly number[]): M {
  const gone = new Set(indexes)
  return mapResults(source, (part, at) => (gone.has(at) ? undefined : part))
}

/** A tool result in the shape that the provider of the call expects. */
export function toolResultFor(
  dialect: MessageDialect,
  call: ToolCall,
  text: string,
): { role: 'tool' } & Fields {
  const { id, name } = call
  switch (dialect) {
    case 'ai-sdk': {
      const output = { type: 'text', value: text }
      return {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: id, toolName: name, output }],
      }
    }
    case 'openai':
      return { role: 'tool', tool_call_id: id ?? name, content: text }
    case 'ollama':
      return { role: 'tool', tool_name: name, ...(id ? { tool_call_id: id } : {}), content: text }
  }
}

const joinTexts = (values: readonly unknown[]): string => values.filter(isFilled).join('\n\n')

function toParts(content: unknown): unknown[] {
  if (Array.isArray(content)) return content
  return isFilled(content) ? [{ type: 'text', text: content }] : []
}

/** A copy with every text changed: the content, text parts, tool results. The same object when nothing changes. */
export function mapTexts<M extends object>(source: M, change: (text: string) => string): M {
  const { content } = source as Fields
  if (typeof content === 'string') return put(source, 'content', change(content))
  return Array.isArray(content) ? put(source, 'content', mapParts(content, change)) : source
}

function mapParts(parts: readonly unknown[], change: (text: string) => string): readonly unknown[] {
  const mapped = parts.map(part => mapPart(part, change))
  return mapped.every((part, at) => part === parts[at]) ? parts : mapped
}

function mapPart(part: unknown, change: (text: string) => string): unknown {
  if (typeof part === 'string') return change(part)
  const fields = (part ?? {}) as Fields
  if (fields.type === 'tool-result') return mapResult(fields, change)
  const key = typeof fields.refusal === 'string' ? 'refusal' : 'text'
  const text = fields[key]
  return typeof text === 'string' ? put(fields, key, change(text)) : part
}

/** Changes the text of a result part. The AI SDK wraps it in `output`; its older versions have a bare `result`. */
function mapResult(part: Fields, change: (text: string) => string): Fields {
  const output = part.output as Fields | undefined
  const value = output === undefined ? part.result : output.value
  if (output?.type === 'content' && Array.isArray(value)) {
    return put(part, 'output', put(output, 'value', mapParts(value, change)))
  }
  const before = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  const text = change(before)
  return text === before ? part : withOutput(part, text)
}

/** A copy of a result part with another text; an error stays an error. */
function withOutput({ result: _, ...part }: Fields, text: string): Fields {
  const { type } = (part.output ?? {}) as { type?: unknown }
  const isError = type === 'error-text' || type === 'error-json'
  return { ...part, output: { type: isError ? 'error-text' : 'text', value: text } }
}

/** The object with this value in a field; itself when it has it. */
function put<T extends object>(object: T, field: string, value: unknown): T {
  return (object as Fields)[field] === value ? object : { ...object, [field]: value }
}

/** A copy without its tool calls, or without those at these places: calls beside the content count first, as they are read. */
export function withoutCalls<M extends object>(source: M, places?: readonly number[]): M {
  const { tool_calls: list, function_call: single, content, ...rest } = source as Fields
  const gone = places && new Set(places)
  let at = 0
  const stays = () => gone !== undefined && !gone.has(at++)
  const beside = listCalls(source as Fields).filter(stays)
  const isList = Array.isArray(list) && list.length > 0
  const inside = Array.isArray(content)
    ? content.filter(part => part?.type !== 'tool-call' || stays())
    : content
  return {
    ...rest,
    ...('content' in source && { content: inside }),
    ...(beside.length > 0 && (isList ? { tool_calls: beside } : { function_call: single })),
  } as M
}
