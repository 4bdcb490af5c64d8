import type { MessageLike, ToolCall } from '../log/message.ts'
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
  /** Calls with notes came before: a result that answers no call that we know may be theirs. */
  let hadNotes = isPart
  return messages.map((given, seq) => {
    const { role, calls, misplacedCalls, results, text } = readMessage(given, seq)
    const source = misplacedCalls === undefined ? given : withoutCalls(given)
    if (role === 'assistant_note') return undefined
    if (role !== 'tool') {
      called = calls
      round = openRound(calls)
      hadNotes ||= calls.some(call => isNote(call) || carriesNote(call, notes))
    }
    const fates = results.map(result => {
      const call = called[round.take(result)]
      if (isNote(call) || isNote(result)) return 'hidden'
      return (call ? carriesNote(call, notes) : hadNotes) ? 'veiled' : 'shown'
    })
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

function withFates<M extends MessageLike>(source: M, fates: readonly string[]): M {
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
