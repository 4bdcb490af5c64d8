import type { NoteOptions } from './marker.ts'
import { splitNote } from './split-note.ts'

/**
 * The arguments of a call as a user may see them: without the notes that the model wrote into them. All else stays as
 * it was written, character by character; the tool and the log get the arguments as they are.
 */
export function shownArguments(json: string, notes: NoteOptions | undefined): string {
  if (!notes || !mayHaveNote.test(json)) return json
  const cut = (text: string) => splitNote(text, notes).visible
  const shown = json.replace(literal, written => {
    const text = readLiteral(written)
    if (text === undefined) return written
    const visible = cut(text)
    return visible === text ? written : JSON.stringify(visible)
  })
  // What is no JSON has no literals to rely on: it is cut as the text that it is.
  return isJson(shown) ? shown : cut(shown)
}

/** Any letter of the marker may be written as an escape. */
const mayHaveNote = /note|\\u/i

const literal = /"[^"\\]*(?:\\.[^"\\]*)*"/gs

function readLiteral(json: string): string | undefined {
  try {
    return JSON.parse(json) as string
  } catch {
    return undefined
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
