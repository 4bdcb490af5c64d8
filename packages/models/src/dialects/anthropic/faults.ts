import type { AdapterFault } from '../adapter.ts'
import { typeOf } from '../openai-error.ts'

export function toError(fault: AdapterFault) {
  const { status, code, message, tokens, details = '' } = fault
  if (code !== 'context_too_long')
    return { type: 'error', error: { type: typeOf(status, types), message } }
  const counts = tokens
    ? `${tokens.prompt} tokens > ${tokens.window} maximum${details && `. ${details}`}`
    : message
  // The words by which clients know that they must shorten the conversation.
  return { type: 'error', error: { type: typeOf(400), message: `prompt is too long: ${counts}` } }
}

const types: ReadonlyMap<number, string> = new Map([
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [503, 'overloaded_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
])
