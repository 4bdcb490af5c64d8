import type { MessageLike, ToolCall, ToolResult } from '../log/message.ts'
import { readMessage } from '../log/parse-message.ts'
import { isText } from '../log/read-content.ts'
import { openRound } from '../log/round.ts'
import { noteToolName } from '../log/tool-names.ts'
import { mapResults, withoutCalls } from '../log/write-message.ts'
import { shownArguments } from './shown-arguments.ts'

/**
 * A conversation as a user may see it: without notes, be they entries, calls of `write_note_to_self` with their results,
 * parts of tool arguments, or a tool's answer to such arguments. A note with a nonce is a note here whatever the nonce: who
 * looks at a log does not know it. Every view for display goes through this function. Forged notes are ordinary text and stay.
 */
export const toDisplay = <M extends MessageLike>(messages: readonly M[]): readonly M[] =>
  showEach(messages).filter(message => message !== undefined)

/** `toDisplay` per message, undefined if not shown. `isPart`: earlier messages are missing, so results without calls are hidden. */
export function showEach<M extends MessageLike>(
  messages: readonly M[],
  {
    isPart = false,
  }: {
    /** Whether messages before these are missing. Default false. */
    readonly isPart?: boolean
  } = {},
): readonly (M | undefined)[] {
  let called: readonly ToolCall[] = []
  let round = openRound(called)
  let carrying = new Set<string>()
  /** Calls with notes came before: a result that answers no known call may belong to them. */
  let hadNotes = isPart

  function fateOf(result: ToolResult): ResultFate {
    const call = called[round.take(result)]
    if (isNote(call) || isNote(result)) return 'hidden'
    if (!call) return hadNotes ? 'veiled' : 'shown'
    // Results without an id come in any order: any call of that name may be the one.
    const isSure = call.id !== undefined && call.id === result.callId
    if (isSure) return carriesNote(call) ? 'veiled' : 'shown'
    return (result.name === undefined ? carrying.size > 0 : carrying.has(result.name))
      ? 'veiled'
      : 'shown'
  }

  return messages.map((message, seq) => {
    const { role, calls, misplacedCalls, results, text } = readMessage(message, seq)
    const source = misplacedCalls === undefined ? message : withoutCalls(message)
    if (role === 'assistant_note') return undefined
    if (role !== 'tool') {
      called = calls
      round = openRound(calls)
      carrying = new Set(calls.filter(call => carriesNote(call)).map(({ name }) => name))
      hadNotes ||= carrying.size > 0 || calls.some(isNote)
    }
    const fates = results.map(fateOf)
    const answers = withFates(source, fates)
    if (role === 'tool')
      return (results.length === 0 ? hadNotes : fates.every(fate => fate === 'hidden'))
        ? undefined
        : answers
    const noteCalls = calls.flatMap((call, index) => (isNote(call) ? [index] : []))
    if (noteCalls.length > 0 && noteCalls.length === calls.length && text === '') return undefined
    const left = noteCalls.length > 0 ? withoutCalls(answers, noteCalls) : answers
    return role === 'assistant' ? cutCallNotes(left) : left
  })
}

/** Replaces the result of a call whose arguments had a note: a tool may repeat its arguments in any form. */
export const veiledResult = '[Not shown: the call carried a note.]'

export const carriesNote = ({ arguments: json }: Pick<ToolCall, 'arguments'>) =>
  shownArguments(json) !== json

const isNote = (call: { readonly name?: string } | undefined) => call?.name === noteToolName

type ResultFate = 'hidden' | 'veiled' | 'shown'

function withFates<M extends MessageLike>(source: M, fates: readonly ResultFate[]): M {
  if (fates.every(fate => fate === 'shown')) return source
  const changed = mapResults(source, (part, index) => {
    if (fates[index] === 'shown') return part
    const { type, toolCallId, toolName } = part
    const output = { type: 'text', value: veiledResult }
    return fates[index] === 'hidden' ? undefined : { type, toolCallId, toolName, output }
  })
  if (changed !== source) return changed
  // The whole message is the result, and any other field may repeat the note: only these are kept.
  const { role, id, seq, name, tool_call_id, tool_name, time }: MessageLike & { seq?: unknown } =
    source
  const labels = { role, id, seq, name, tool_call_id, tool_name, time }
  const present = Object.entries(labels).filter(([, value]) => value !== undefined)
  return { ...Object.fromEntries(present), content: veiledResult } as unknown as M
}

/** Cuts notes out of all but the text, which lost its note when the reply was read. The same object where nothing was cut. */
function cutCallNotes<M extends MessageLike>(source: M): M {
  const seen = new Map<object, unknown>()

  function cut(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return shownArguments(value)
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
    if (seen.has(value)) return seen.get(value)
    // Values in a circle or nested beyond the limit are not shown.
    seen.set(value, undefined)
    const shown =
      depth < mostDepth ? rename(rebuild(value, inner => cut(inner, depth + 1))) : undefined
    seen.set(value, shown)
    return shown
  }

  /** Cuts notes out of field names too. */
  function rename<T extends object>(value: T): T {
    const names = Array.isArray(value) ? [] : Object.keys(value)
    if (names.every(name => cut(name) === name)) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [cut(name), inner])) as T
  }

  return rebuild(source, (value, field) => {
    // Beside `tool_calls` a `function_call` is not read and not run.
    if (field === 'function_call' && value && isFull(source.tool_calls)) return undefined
    if (field !== 'content') return cut(value)
    return Array.isArray(value) ? rebuild(value, part => (isText(part) ? part : cut(part))) : value
  })
}

const isFull = (list: unknown) => Array.isArray(list) && list.length > 0

/** Deeper arguments are refused when they are stored. */
const mostDepth = 500

/** A copy with every value changed or left out by `change`; the same object where nothing changed. */
function rebuild<T extends object>(value: T, change: (inner: unknown, name: string) => unknown): T {
  if (Array.isArray(value)) {
    const items = value.map((item, at) => change(item, String(at)))
    return items.every((item, at) => item === value[at]) ? value : (items as unknown as T)
  }
  const fields = Object.entries(value)
  const changed = fields.map(([name, inner]) => [name, change(inner, name)] as const)
  return changed.every(([, inner], at) => inner === fields[at]![1])
    ? value
    : (Object.fromEntries(changed.filter(([, inner]) => inner !== undefined)) as T)
}
