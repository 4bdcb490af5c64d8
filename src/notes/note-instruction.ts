import type { ToolCall } from '../log/message.ts'
import { type NoteOptions, noteMarker } from './marker.ts'
import { MAX_NOTE, toNote } from './note-text.ts'

/** Asks the model, in the system prompt, to end its reply with a note. */
export function noteInstruction(options: NoteOptions = {}): string {
  return `End every reply with one note to yourself, on a line of its own, in exactly this form:
${noteMarker(options)} what you did and what matters next]
${contents} Do not mention it in your reply, and write nothing after its closing bracket.`
}

const contents =
  'Write one to three short sentences: what you did, what was decided, the names and paths you will need, what is still open. The user never sees the note. You will see it in later turns, even when older messages are gone.'

export const noteToolName = 'write_note_to_self'

/** The other way to a note: a tool that the model calls. Its calls are hidden wherever notes are. */
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

/**
 * The note that a call of `write_note_to_self` carries; undefined for another tool and for a call that says nothing.
 * Small models write broken JSON: what can be read of the note is read.
 */
export function readNoteCall({ name, arguments: json }: ToolCall): string | undefined {
  return name === noteToolName ? toNote(noteOf(parse(json))) : undefined
}

function noteOf(value: unknown): string {
  if (typeof value === 'string') return value.trimStart().startsWith('{') ? salvage(value) : value
  const note = (value as { note?: unknown } | null)?.note
  return typeof note === 'string' ? note : ''
}

/** From `{"note": "I added the` or from line breaks inside the quotes: what follows the name. */
function salvage(json: string): string {
  const start = /^\s*\{\s*["']?note["']?\s*:\s*["']?/.exec(json)
  if (start === null) return ''
  let text = json.slice(start[0].length).trim()
  if (text.endsWith('}')) text = text.slice(0, -1).trim()
  if (/["']/.test(text.slice(-1))) text = text.slice(0, -1)
  // A note is bounded anyway, and the rest of a megabyte need not be unescaped.
  return text
    .slice(0, 2 * MAX_NOTE)
    .replace(/\\(["'\\/n])/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped))
}

/** What is no JSON is the text that it is. */
function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}
