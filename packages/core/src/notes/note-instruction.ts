import { refuseUnknown } from '../log/error.ts'
import type { ToolCall } from '../log/message.ts'
import { noteOpening } from '../log/texts.ts'
import { noteToolName } from '../log/tool-names.ts'
import { attempt } from '../log/values.ts'
import { checkNonce, MAX_NOTE, type NoteOptions, toNote } from './note-scanner.ts'

/** How a model is asked for a note. */
export interface NoteInstructionOptions extends NoteOptions {
  /** `reply`: the model ends its reply with a note. `tool`: it calls `write_note_to_self`. Default `reply`. */
  readonly by?: 'reply' | 'tool' | undefined
}

/** A text for the system prompt that asks the model for a note. */
export function noteInstruction(options: NoteInstructionOptions = {}): string {
  refuseUnknown(options, { by: 1, nonce: 1 })
  const { by, nonce } = options
  checkNonce(nonce)
  if (by === 'tool')
    return `Before you end your turn, call the tool ${noteToolName} once, with one note to yourself. ${contents} Do not mention it in your reply, and write no note there.`
  return `End every reply with one note to yourself, on a line of its own, in exactly this form:
${noteOpening(nonce)} what you did and what matters next]
${contents} Do not mention it in your reply, and write nothing after its closing bracket.`
}

const contents =
  'Write one to three short sentences: what you did, what was decided, the names and paths you will need, what is still open. The user never sees the note. You will see it in later turns, even when older messages are gone.'

/** A tool with which the model writes a note instead. Its calls are hidden wherever notes are. */
export const noteTool = {
  type: 'function' as const,
  function: {
    name: noteToolName,
    description: `Leave a note to yourself before you end your turn. ${contents}`,
    parameters: {
      type: 'object' as const,
      properties: {
        note: { type: 'string' as const },
      },
      required: ['note'],
    },
  },
}

/** The note in a call of `write_note_to_self`, also of broken JSON; undefined for other tools and for a call without text. */
export const readNoteCall = ({ name, arguments: json }: ToolCall): string | undefined =>
  name === noteToolName ? toNote(noteOf(attempt(() => JSON.parse(json), json))) : undefined

function noteOf(value: unknown): string {
  if (typeof value === 'string') return value.trimStart().startsWith('{') ? salvage(value) : value
  const note = (value as { note?: unknown } | null)?.note
  return typeof note === 'string' ? note : ''
}

/** The text after the field name, from `{"note": "I added the` or a note with raw line breaks. */
function salvage(json: string): string {
  const start = /^\s*\{\s*["']?note["']?\s*:\s*["']?/.exec(json)
  if (start === null) return ''
  let text = json.slice(start[0].length).trim()
  if (text.endsWith('}')) text = text.slice(0, -1).trim()
  if (/["']/.test(text.slice(-1))) text = text.slice(0, -1)
  // A note is bounded: the rest of a megabyte need not be unescaped.
  return text
    .slice(0, 2 * MAX_NOTE)
    .replace(/\\(["'\\/n])/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped))
}
