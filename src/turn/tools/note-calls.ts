import type { MessageLike } from '../../log/message.ts'
import { notedResult } from '../../log/texts.ts'
import { noteToolName, readNoteCall } from '../../notes/index.ts'
import type { ModelReply, ReplyCall } from '../model-reply.ts'

/** The calls of a reply: notes that the model wrote with a tool, and the rest. */
export interface OwnCalls {
  readonly note: string | undefined
  /** The results of the calls that wrote a note. */
  readonly answers: readonly MessageLike[]
  readonly others: readonly ReplyCall[]
}

/** Takes out the calls of `write_note_to_self`, if it was offered: they are not run, their notes are logged. */
export function takeNoteCalls({ calls }: ModelReply, isOffered: boolean): OwnCalls {
  const isNote = ({ name }: ReplyCall) => isOffered && name === noteToolName
  return {
    note: calls
      .filter(isNote)
      .reduce<string | undefined>((last, call) => readNoteCall(call) ?? last, undefined),
    answers: calls.filter(isNote).map(({ id, name }) => ({
      role: 'tool',
      tool_call_id: id,
      name,
      content: notedResult,
    })),
    others: calls.filter(call => !isNote(call)),
  }
}
