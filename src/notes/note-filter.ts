import { refuseUnknown } from '../log/refuse-unknown.ts'
import type { NoteOptions } from './nonce.ts'
import { createNoteScanner } from './note-scanner.ts'

export interface NoteFilterOptions extends NoteOptions {
  /** Called once at the end of the reply, if the reply had a note. */
  readonly onNote?: ((note: string) => void) | undefined
}

/**
 * Cuts the note out of a reply that is streamed: text passes as it arrives, nothing of a note ever does.
 *
 * A stream that is cancelled or breaks is never flushed, so `onNote` is not called then. Where the note of a broken
 * reply must be kept, use `createNoteScanner` and call its `end()`.
 *
 * @example
 * reply.pipeThrough(noteFilter({ onNote: note => notes.push(note) }))
 */
export function noteFilter(options: NoteFilterOptions = {}): TransformStream<string, string> {
  refuseUnknown(options, { nonce: 1, onNote: 1 })
  const { nonce, onNote } = options
  const scanner = createNoteScanner({ nonce })
  return new TransformStream<string, string>({
    transform(chunk, controller) {
      const visible = scanner.push(chunk)
      if (visible !== '') controller.enqueue(visible)
    },
    flush(controller) {
      const { visible, note } = scanner.end()
      if (visible !== '') controller.enqueue(visible)
      if (note !== undefined) onNote?.(note)
    },
  })
}
