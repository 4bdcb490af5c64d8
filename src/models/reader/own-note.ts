import { cut } from '../../log/line.ts'
import type { ToolSpec } from '../model.ts'
import type { Given } from './given.ts'

export const noteToolName = 'write_note_to_self'

const longestHalf = 60

/** How the instructions ask for a note: as a block that ends the reply, by the tool, or not at all. */
export type NoteForm =
  | { readonly kind: 'block'; readonly opening: string }
  | { readonly kind: 'tool' }
  | { readonly kind: 'none' }

/**
 * Reads the form from the system prompt, which shows the block with its nonce. The tool is used if the instructions name
 * it, or if it is offered and no block is asked for.
 */
export function noteForm({ system }: Given, tools: readonly ToolSpec[]): NoteForm {
  const isOffered = tools.some(({ name }) => name === noteToolName)
  if (isOffered && system.includes(noteToolName)) return { kind: 'tool' }
  const [opening] = /\[NOTE TO SELF(?: [A-Za-z0-9]{1,32})?:/.exec(system) ?? []
  if (opening !== undefined) return { kind: 'block', opening }
  return isOffered ? { kind: 'tool' } : { kind: 'none' }
}

/** Whether the note of this turn was written already. */
export function hasWrittenNote({ turn }: Given): boolean {
  return turn.some(({ calls }) => calls.some(({ name }) => name === noteToolName))
}

/** `What is my locker code? → You said: "My locker code is 4471."` */
export function ownNote(asked: string, done: string): string {
  return `${half(asked)} → ${half(done)}`
}

/** Shortens a text and replaces square brackets, which could end the block too early, or never. */
function half(text: string): string {
  return cut(text, longestHalf).replaceAll('[', '(').replaceAll(']', ')')
}
