import type { NoteOptions } from './nonce.ts'
import { createNoteScanner, type SplitReply } from './note-scanner.ts'

/**
 * Cuts the note out of a whole reply. Only for a reply that the model wrote in this call: in any other text a block is
 * ordinary text, see `neutralizeNotes`.
 *
 * @example
 * splitNote("I've added the footer section.\n\n[NOTE TO SELF: I added the footer.]")
 * // { visible: "I've added the footer section.", note: 'I added the footer.' }
 */
export function splitNote(text: string, options: NoteOptions = {}): SplitReply {
  const scanner = createNoteScanner(options)
  const visible = scanner.push(text)
  const rest = scanner.end()
  return { ...rest, visible: visible + rest.visible }
}
