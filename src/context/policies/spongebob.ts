import type { Policy } from '../draft/draft.ts'

/** Keeps all system messages, moved to the front, the first user message, a marker, and the longest run of recent messages that fits. */
export function spongebob(): Policy {
  return { name: 'spongebob', apply: draft => draft.moveSystemsFirst().dropOldest() }
}
