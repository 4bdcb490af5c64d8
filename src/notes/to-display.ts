import type { MessageLike, ToolCall } from '../log/message.ts'
import { parseMessage } from '../log/parse-message.ts'
import { openRound } from '../log/round.ts'
import { withoutCalls, withoutResults } from '../log/write-message.ts'
import { cutCallNotes } from './cut-call-notes.ts'
import type { NoteOptions } from './marker.ts'
import { noteToolName } from './note-instruction.ts'

/**
 * What a user may see of a conversation: no notes, neither as entries nor as calls of `write_note_to_self` with their
 * results, nor in the arguments of tools. The one place that knows; every view for display goes through it. Forged notes are ordinary text and stay.
 */
export function toDisplay<M extends MessageLike>(
  messages: readonly M[],
  notes: NoteOptions = {},
): readonly M[] {
  const shown: M[] = []
  let called: readonly ToolCall[] = []
  let round = openRound(called)
  for (const [seq, source] of messages.entries()) {
    const { role, calls, results, text } = parseMessage(source, seq)
    if (role === 'assistant_note') continue
    if (role === 'tool') {
      const hidden = results.flatMap((result, index) =>
        isNote(called[round.take(result)] ?? result) ? [index] : [],
      )
      if (hidden.length === 0) shown.push(source)
      else if (hidden.length < results.length) shown.push(withoutResults(source, hidden))
      continue
    }
    called = calls
    round = openRound(calls, results)
    const own = calls.flatMap((call, index) => (isNote(call) ? [index] : []))
    if (own.length === 0) shown.push(calls.length > 0 ? cutCallNotes(source, notes) : source)
    else if (own.length < calls.length || text !== '')
      shown.push(cutCallNotes(withoutCalls(source, own), notes))
  }
  return shown
}

const isNote = (call: { readonly name?: string } | undefined) => call?.name === noteToolName
