import type { ModelPart } from './model.ts'
import { type Server, toStreamError } from './to-model-error.ts'

/** Refuses a part whose texts are no texts: readers take the types of a server's answer on trust. */
export function checkPart(part: ModelPart, server: Server): ModelPart {
  const texts =
    part.type === 'tool-call' ? [part.id, part.name, part.arguments] : part.type === 'end' ? [] : [part.text]
  if (texts.every(text => typeof text === 'string')) return part
  throw toStreamError(server, 'sent something else where a text should be')
}
