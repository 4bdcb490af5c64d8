import type { MessageLike } from '../log/message.ts'
import { splitNote } from './split-note.ts'

/**
 * A message whose tool calls hold no note blocks in their arguments: a model may write one anywhere, and arguments are
 * shown. Only for display; what a tool gets and what is stored stays as it was written.
 */
export function cutCallNotes<M extends MessageLike>(source: M): M {
  const { tool_calls: calls, content } = source as { tool_calls?: unknown; content?: unknown }
  const shownCalls = Array.isArray(calls) ? mapList(calls, cutCall) : calls
  const shownContent = Array.isArray(content) ? mapList(content, cutPart) : content
  if (shownCalls === calls && shownContent === content) return source
  return {
    ...source,
    ...(Array.isArray(content) && { content: shownContent }),
    ...(Array.isArray(calls) && { tool_calls: shownCalls }),
  }
}

/** The same for the arguments alone, as JSON text. */
export function cutNotesInJson(json: string): string {
  if (!mayHold(json)) return json
  try {
    return JSON.stringify(cut(JSON.parse(json)))
  } catch {
    return splitNote(json).visible
  }
}

function cutCall(call: unknown): unknown {
  const { function: called } = (call ?? {}) as { function?: { arguments?: unknown } }
  if (!called) return call
  const given = called.arguments
  const shown = typeof given === 'string' ? cutNotesInJson(given) : cut(given)
  return shown === given ? call : { ...(call as object), function: { ...called, arguments: shown } }
}

function cutPart(part: unknown): unknown {
  const { type, input } = (part ?? {}) as { type?: unknown; input?: unknown }
  if (type !== 'tool-call') return part
  const shown = cut(input)
  return shown === input ? part : { ...(part as object), input: shown }
}

/** The same value where nothing had to go. */
function cut(value: unknown): unknown {
  if (typeof value === 'string') return mayHold(value) ? splitNote(value).visible : value
  if (Array.isArray(value)) return mapList(value, cut)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  const shown = entries.map(([name, part]) => [name, cut(part)] as const)
  return shown.every(([, part], at) => part === entries[at]![1]) ? value : Object.fromEntries(shown)
}

const mayHold = (text: string) => /\[\s*note\s+to\s+self/i.test(text)

function mapList(list: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] {
  const changed = list.map(change)
  return changed.every((item, at) => item === list[at]) ? list : changed
}
