import type { MessageLike, ToolCall, ToolResult } from '../log/message.ts'
import { readMessage } from '../log/parse-message.ts'
import { openRound } from '../log/round.ts'
import { mapResults, withoutCalls } from '../log/write-message.ts'
import { cutCallNotes } from './cut-call-notes.ts'
import type { NoteOptions } from './marker.ts'
import { noteToolName } from './note-instruction.ts'
import { shownArguments } from './shown-arguments.ts'

/**
 * What a user may see of a conversation: no notes, neither as entries nor as calls of `write_note_to_self` with their
 * results, nor in the arguments of tools, nor in what a tool answers to such arguments. The one place that knows; every
 * view for display goes through it. Forged notes are ordinary text and stay.
 */
export function toDisplay<M extends MessageLike>(
  messages: readonly M[],
  notes: NoteOptions = {},
): readonly M[] {
  return showEach(messages, notes).filter(message => message !== undefined)
}

/**
 * The same message by message: undefined for one that is not shown. With `isPart` they are part of a conversation: a
 * result that answers none of their calls may answer an earlier one, and is not shown either.
 */
export function showEach<M extends MessageLike>(
  messages: readonly M[],
  notes: NoteOptions,
  { isPart = false }: { readonly isPart?: boolean } = {},
): readonly (M | undefined)[] {
  let called: readonly ToolCall[] = []
  let round = openRound(called)
  /** The names of the calls of the round that carry notes. */
  let carrying = new Set<string>()
  /** Calls with notes came before: a result that answers no call that we know may be theirs. */
  let hadNotes = isPart

  function fateOf(result: ToolResult): Fate {
    const call = called[round.take(result)]
    if (isNote(call) || isNote(result)) return 'hidden'
    if (!call) return hadNotes ? 'veiled' : 'shown'
    // Without an id, results come in the order in which they were ready: any call of that name may be meant.
    const isSure = call.id !== undefined && call.id === result.callId
    if (isSure) return carriesNote(call, notes) ? 'veiled' : 'shown'
    return (result.name === undefined ? carrying.size > 0 : carrying.has(result.name)) ? 'veiled' : 'shown'
  }

  return messages.map((given, seq) => {
    const { role, calls, misplacedCalls, results, text } = readMessage(given, seq)
    const source = misplacedCalls === undefined ? given : withoutCalls(given)
    if (role === 'assistant_note') return undefined
    if (role !== 'tool') {
      called = calls
      round = openRound(calls)
      carrying = new Set(calls.filter(call => carriesNote(call, notes)).map(({ name }) => name))
      hadNotes ||= carrying.size > 0 || calls.some(isNote)
    }
    const fates = results.map(fateOf)
    const answers = withFates(source, fates)
    if (role === 'tool')
      return (results.length === 0 ? hadNotes : fates.every(fate => fate === 'hidden')) ? undefined : answers
    const own = calls.flatMap((call, index) => (isNote(call) ? [index] : []))
    if (own.length > 0 && own.length === calls.length && text === '') return undefined
    const left = own.length > 0 ? withoutCalls(answers, own) : answers
    return role === 'assistant' ? cutCallNotes(left, notes) : left
  })
}

/** What stands for the result of a call whose arguments had a note: a tool may repeat them in any writing. */
export const veiledResult = '[Not shown: the call carried a note.]'

/** Did the model write a note into the arguments of a call? */
export const carriesNote = (
  { arguments: json }: Pick<ToolCall, 'arguments'>,
  notes: NoteOptions | undefined,
) => shownArguments(json, notes) !== json

const isNote = (call: { readonly name?: string } | undefined) => call?.name === noteToolName

/** Not at all, without its text, or whole. */
type Fate = 'hidden' | 'veiled' | 'shown'

function withFates<M extends MessageLike>(source: M, fates: readonly Fate[]): M {
  if (fates.every(fate => fate === 'shown')) return source
  const changed = mapResults(source, (part, index) => {
    if (fates[index] === 'shown') return part
    const { type, toolCallId, toolName } = part
    const output = { type: 'text', value: veiledResult }
    return fates[index] === 'hidden' ? undefined : { type, toolCallId, toolName, output }
  })
  if (changed !== source) return changed
  // The message is the result: what else it has may repeat the note too.
  const { role, id, name, tool_call_id, tool_name, time } = source
  const labels = { role, id, name, tool_call_id, tool_name, time }
  const known = Object.entries(labels).filter(([, value]) => value !== undefined)
  return { ...Object.fromEntries(known), content: veiledResult } as unknown as M
}
