import type { AdapterFault } from '../adapter.ts'

/** An error as Google's APIs have it. */
export function toError(fault: AdapterFault) {
  const code = fault.code === 'context_too_long' ? 400 : fault.status
  return {
    status: code,
    body: { error: { code, message: wordsOf(fault), status: statusOf(code) } },
  }
}

/** The words by which clients know that they must shorten the conversation. */
function wordsOf({ code, message, tokens, details }: AdapterFault): string {
  if (code !== 'context_too_long') return message
  if (!tokens)
    return `The input token count exceeds the maximum number of tokens allowed. ${message}`
  const { prompt, window } = tokens
  const counts = `(${prompt}) exceeds the maximum number of tokens allowed (${window})`
  return `The input token count ${counts}.${details === undefined ? '' : ` ${details}`}`
}

const statusOf = (code: number): string =>
  statuses.get(code) ?? (code < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL')

const statuses: ReadonlyMap<number, string> = new Map([
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [409, 'ABORTED'],
  [429, 'RESOURCE_EXHAUSTED'],
  [499, 'CANCELLED'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
])
