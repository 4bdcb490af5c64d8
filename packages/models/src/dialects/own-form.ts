import { refuse } from '@throughline/core/fields'
import type { ContentPart } from '@throughline/core/messages'

/** Refuses what only an upstream of the same form understands, unless the body is read for one. */
export function refuseElsewhere(isOwnForm: boolean, field: string, problem: string): void {
  if (!isOwnForm) refuse(field, problem)
}

/** A file that only the upstream has. */
export function uploadedFile(isOwnForm: boolean, field: string, problem: string): ContentPart {
  refuseElsewhere(isOwnForm, field, problem)
  return { type: 'input_file' }
}
