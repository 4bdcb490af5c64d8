import { ModelError, type ModelErrorCode } from '../model-error.ts'

/** What the AI SDK's errors may tell. Read by shape: two copies of its packages have two classes. */
interface Failure {
  readonly name?: unknown
  readonly message?: unknown
  readonly statusCode?: unknown
  readonly status?: unknown
  readonly responseHeaders?: Readonly<Record<string, string>>
  readonly responseBody?: unknown
  readonly data?: unknown
  readonly code?: unknown
  readonly type?: unknown
  readonly isRetryable?: unknown
}

/**
 * An error of the AI SDK as ours. It is not kept as the cause: an APICallError holds the whole request, and providers
 * quote it, so that of their words only codes are passed on.
 */
export function toModelError(error: unknown, model: string, during: 'call' | 'stream'): ModelError {
  if (error instanceof ModelError) return error
  const failure: Failure = typeof error === 'object' && error !== null ? error : { message: error }
  const status = [failure.statusCode, failure.status].find(value => typeof value === 'number')
  const code = codeOf(failure, status, during)
  const codes = [status, ...wordsOf(failure)].filter(word => word !== undefined)
  const said = codes.length > 0 ? ` (${codes.join(', ')})` : ''
  const retryAfterMs = retryAfter(failure.responseHeaders)
  return new ModelError(code, `Model "${model}" ${advice[code]}`.replace('%', said), {
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
}

const advice: Readonly<Record<ModelErrorCode, string>> = {
  model_busy: 'is busy%: wait and ask again.',
  model_unavailable: 'cannot be reached%: see that its server runs, then ask again.',
  model_not_found: 'is not known to its provider%: check its name.',
  model_refused: 'refused the request%: check the key, the settings and the messages.',
  context_too_long: 'says that the prompt is longer than its window%: fit it into a smaller one.',
  model_stalled: 'sent nothing for too long%: ask again.',
  model_stream_broken: 'broke off its reply%: ask again.',
  client_missing: 'needs a client that is not installed%.',
}

function codeOf(failure: Failure, status: number | undefined, during: 'call' | 'stream'): ModelErrorCode {
  const { name, message, responseBody } = failure
  const isRefusal = status === undefined || status === 400 || status === 413 || status === 422
  const words = [message, responseBody, ...wordsOf(failure)].map(String).join('\n')
  if (isRefusal && tooLong.test(words)) return 'context_too_long'
  if (status === 429) return 'model_busy'
  if (status === 404 || name === 'AI_NoSuchModelError') return 'model_not_found'
  if (status === 408 || (status !== undefined && status >= 500)) return 'model_unavailable'
  if (status !== undefined && status >= 400) return 'model_refused'
  if (during === 'stream') return 'model_stream_broken'
  // No answer at all: `fetch` throws a TypeError, the AI SDK marks it as worth another try.
  const isUnreachable = failure.isRetryable === true || (name === 'TypeError' && message === 'fetch failed')
  return isUnreachable ? 'model_unavailable' : 'model_refused'
}

/** How OpenAI, Anthropic, Google, llama.cpp, vLLM and Ollama say it. */
const tooLong =
  /context[ _-]?(?:length|window|size)|prompt is too long|(?:input|prompt)[^\n]{0,40}exceed[^\n]{0,40}(?:token|length)|maximum number of tokens|too many (?:input )?tokens/i

/** Codes that a provider gives: words without spaces, never sentences. */
function wordsOf({ name, data, code, type }: Failure): readonly string[] {
  const inner = ((data as { error?: unknown } | undefined)?.error ?? {}) as Record<string, unknown>
  const words = [name, inner.code, inner.type, code, type].filter(
    word => typeof word === 'string' && /^[A-Za-z][\w.-]{1,63}$/.test(word) && word !== 'error',
  )
  return [...new Set(words as string[])]
}

function retryAfter(headers: Failure['responseHeaders']): number | undefined {
  const milliseconds = Number(headers?.['retry-after-ms'] ?? Number.NaN)
  if (milliseconds >= 0) return milliseconds
  // The other form is a date, and nothing here reads a clock.
  const seconds = Number(headers?.['retry-after'] ?? Number.NaN)
  return seconds >= 0 ? Math.ceil(seconds * 1000) : undefined
}
