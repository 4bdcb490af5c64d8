import { refuseUnknown } from '../../log/error.ts'
import type { Policy } from '../draft/draft.ts'

/**
 * Keeps all system messages (moved to the front), the first user message, a marker, and as many latest messages as fit. It has no
 * options: the marker is one of `fit`.
 */
export function spongebob(options: Readonly<Record<string, never>> = {}): Policy {
  refuseUnknown(options, {})
  return { name: 'spongebob', apply: draft => draft.moveSystemsFirst().dropOldest() }
}
