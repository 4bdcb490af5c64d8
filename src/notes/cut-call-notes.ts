import type { MessageLike } from '../log/message.ts'
import type { NoteOptions } from './marker.ts'
import { shownArguments } from './shown-arguments.ts'

/** A message whose tool calls show no notes in their arguments. Only for display: what is stored stays as it was written. */
export function cutCallNotes<M extends MessageLike>(source: M, notes: NoteOptions): M {
  const { tool_calls: calls, content } = source as { tool_calls?: unknown; content?: unknown }
  const shownCalls = mapList(calls, call => cutCall(call, notes))
  const shownContent = mapList(content, part => cutPart(part, notes))
  if (shownCalls === calls && shownContent === content) return source
  return { ...source, content: shownContent, ...(calls === undefined ? {} : { tool_calls: shownCalls }) }
}

function cutCall(call: unknown, notes: NoteOptions): unknown {
  const { function: called } = (call ?? {}) as { function?: { arguments?: unknown } }
  if (!called) return call
  const shown = cutValue(called.arguments, notes)
  return shown === called.arguments
    ? call
    : { ...(call as object), function: { ...called, arguments: shown } }
}

function cutPart(part: unknown, notes: NoteOptions): unknown {
  const { type, input } = (part ?? {}) as { type?: unknown; input?: unknown }
  if (type !== 'tool-call') return part
  const shown = cutValue(input, notes)
  return shown === input ? part : { ...(part as object), input: shown }
}

/** Arguments as text, or as the value that they are. */
function cutValue(value: unknown, notes: NoteOptions): unknown {
  if (typeof value === 'string') return shownArguments(value, notes)
  const json = JSON.stringify(value) ?? ''
  const shown = shownArguments(json, notes)
  return shown === json ? value : JSON.parse(shown)
}

/** The same list where nothing was changed. */
function mapList(list: unknown, change: (item: unknown) => unknown): unknown {
  if (!Array.isArray(list)) return list
  const changed = list.map(change)
  return changed.every((item, at) => item === list[at]) ? list : changed
}
