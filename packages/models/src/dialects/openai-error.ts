import { NotFoundError } from '@throughline/core/errors'
import type { AdapterFault } from './adapter.ts'

/** An error as chat completions and the Responses API have it. */
export function toOpenAiError(fault: AdapterFault) {
  const { status, code, message, field: param = null } = fault
  if (code !== 'context_too_long')
    return { status, body: { error: { message, type: typeOf(status), param, code } } }
  const tooLongError = { type: 'invalid_request_error', param, code: 'context_length_exceeded' }
  return { status: 400, body: { error: { message: tooLong(fault), ...tooLongError } } }
}

/** The error for an id that is not in the log, in OpenAI's words. */
export function unknownId(what: string, id: string, field?: string) {
  const code = `${what.toLowerCase().replace(' ', '_')}_not_found`
  return new NotFoundError(code, `${what} with id '${id.slice(0, 100)}' not found.`, field)
}

/** The words by which clients know that they must shorten the conversation. */
function tooLong({ message, tokens, details }: AdapterFault): string {
  if (!tokens) return `The prompt exceeds this model's maximum context length. ${message}`
  const { prompt, window } = tokens
  return `This model's maximum context length is ${window} tokens. However, your messages resulted in ${prompt} tokens. Please reduce the length of the messages.${details === undefined ? '' : ` ${details}`}`
}

/** The name of a status. `more`: of those that only Anthropic names. */
export const typeOf = (status: number, more: ReadonlyMap<number, string> = types): string =>
  types.get(status) ?? more.get(status) ?? (status < 500 ? 'invalid_request_error' : 'api_error')

const types: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [429, 'rate_limit_error'],
])
