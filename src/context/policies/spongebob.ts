import type { Policy } from '../draft/draft.ts'

/**
 * Keeps all system messages (moved to the front), the first user message and the latest turn; between them a marker
 * and the longest run of the most recent messages that fits.
 */
export function spongebob(): Policy {
  return { name: 'spongebob', apply: draft => draft.moveSystemsFirst().dropOldest() }
}
