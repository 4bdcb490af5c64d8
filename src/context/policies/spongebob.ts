import type { Policy } from '../draft/draft.ts'

/** Keeps all system messages (moved to the front), the first user message, a marker, and as many latest messages as fit. */
export function spongebob(): Policy {
  return { name: 'spongebob', apply: draft => draft.moveSystemsFirst().dropOldest() }
}
