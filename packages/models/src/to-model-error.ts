import { InvalidMessageError, ThroughlineError } from '@throughline/core/errors'
import type { Fields } from '@throughline/core/fields'
import { ModelError, type ModelErrorCode, type ModelErrorFacts } from './model.ts'
import { quoteFault, safeCause } from './quote-fault.ts'
import { isTooLong, refusedFiles, refusesLateSystem, type ServerFault } from './read-fault.ts'

export interface AskedServer {
  /** `Ollama at http://127.0.0.1:11434` */
  readonly name: string
  readonly model: string
  /** What to do if the server does not have the model, or cannot be reached. */
  readonly notFound: string
  readonly unavailable: string
  /** The texts and secrets of the request, which no message may hold. */
  sent(): readonly string[]
  /** Whether the request holds images or other files. Default: no. */
  hasFiles?(): boolean
}

/** Whether a status says what became of a request. A redirect leads past us, and 999 says nothing: both are the server's fault. */
export const isSoundStatus = (status: number): boolean =>
  isGoodStatus(status) || (status >= 400 && status < 600)

export const isGoodStatus = (status: number): boolean => status >= 200 && status < 300

export function toStatusError(
  server: AskedServer,
  { status, header }: { readonly status: number; header(name: string): string | undefined },
  fault: ServerFault,
): ModelError {
  const code =
    server.hasFiles?.() && refusesFiles(status, fault) ? 'files_refused' : codeOf(status, fault)
  return new ModelError(code, `${server.name} ${explain(server, code, status, fault)}`, {
    status,
    ...factsOf(code, fault, header),
  })
}

export function factsOf(
  code: ModelErrorCode,
  fault: ServerFault,
  header: (name: string) => string | null | undefined,
): ModelErrorFacts {
  return {
    retryAfterMs: readRetryAfter(header),
    tokens: code === 'context_too_long' ? fault.tokens : undefined,
    files: code === 'files_refused' ? refusedFiles(fault) : undefined,
    // A quota that is used up does not come back within a retry.
    isRetryable: fault.code === 'insufficient_quota' ? false : undefined,
  }
}

export function toStreamError(
  server: AskedServer,
  problem: string,
  fault?: ServerFault,
  cause?: unknown,
) {
  if (fault && isTooLong(fault))
    return new ModelError('context_too_long', tooLong(server, fault), { tokens: fault.tokens })
  const quote = fault ? quoteFault(fault.words, server.sent()) : ''
  const message = `${server.name} ${problem}${quote}. What came is not the whole reply: ask again.`
  return new ModelError('model_stream_broken', message, { cause })
}

/** Finds the meaning of what was thrown while a server was asked. */
export function toWireError(server: AskedServer, error: unknown, hasAnswered: boolean): ModelError {
  if (error instanceof ModelError) return error
  // A message that cannot be converted: asking again does not help.
  if (error instanceof InvalidMessageError)
    return new ModelError('model_refused', error.message, { status: 400, cause: error })
  const cause = safeCause(error, server.sent())
  if (isTimeout(error)) return toNetworkError(server, cause)
  if (hasAnswered)
    return toStreamError(server, 'broke off in the middle of its answer', undefined, cause)
  // It was not sent: a key is missing, say.
  const quote = error instanceof Error ? quoteFault(error.message, server.sent()) : ''
  return new ModelError('model_refused', `${server.name} was not asked${quote}.`, { cause })
}

export function toSendError(server: AskedServer, error: unknown): ModelError {
  const { code } = (error ?? {}) as { code?: unknown }
  const isUnsent = error instanceof ThroughlineError || code === 'UND_ERR_INVALID_ARG'
  return isUnsent ? toWireError(server, error, false) : toNetworkError(server, error)
}

/** The error for a server that did not answer, or stopped in the middle. */
function toNetworkError(server: AskedServer, cause: unknown): ModelError {
  const { code } = rootOf(cause)
  if (isTimeout(cause)) {
    const why = 'it may still be loading the model or reading the prompt'
    return new ModelError('model_stalled', `${server.name} sent nothing for too long: ${why}.`, {
      cause,
    })
  }
  const what = `${server.name} cannot be reached${code === '' ? '' : ` (${code})`}`
  return new ModelError('model_unavailable', `${what}: ${server.unavailable}.`, { cause })
}

function isTimeout(error: unknown): boolean {
  const { name, code } = rootOf(error)
  return /^(Abort|Timeout)Error$/.test(name) || /^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.test(code)
}

const refusesFiles = (status: number, fault: ServerFault) =>
  status >= 400 &&
  ![401, 403, 429].includes(status) &&
  !isTooLong(fault) &&
  refusedFiles(fault) !== undefined

function codeOf(status: number, fault: ServerFault): ModelErrorCode {
  if (status === 429) return 'model_busy'
  if (status === 404) return 'model_not_found'
  if (status !== 401 && status !== 403 && isTooLong(fault)) return 'context_too_long'
  if (refusesLateSystem(fault)) return 'system_refused'
  return status >= 500 ? 'model_unavailable' : 'model_refused'
}

function explain(
  server: AskedServer,
  code: ModelErrorCode,
  status: number,
  fault: ServerFault,
): string {
  // Not quoted, because providers repeat a part of the key that they refuse.
  if (status === 401 || status === 403)
    return `refused the credentials (${status}): check the key or "headers".`
  if (redirects.has(status))
    return `sends on to another address (${status}), which is not followed: give the address that answers itself.`
  if (!isSoundStatus(status))
    return `gave an answer with the status ${status}, which is none for this request: look at what stands at its address.`
  const quote = quoteFault(fault.words, server.sent())
  switch (code) {
    case 'model_busy':
      return `is busy or a quota is used up (429)${quote}. Try again later.`
    case 'model_not_found':
      return `does not have the model "${server.model}" (404)${quote}. ${server.notFound}.`
    case 'files_refused':
      return `does not take the files of the request (${status})${quote}.`
    case 'context_too_long':
      return tooLong(server, fault).slice(server.name.length + 1)
    case 'model_unavailable':
      return `failed (${status})${quote}. Try again.`
    default:
      return `refused the request (${status})${quote}.`
  }
}

const redirects: ReadonlySet<number> = new Set([300, 301, 302, 303, 305, 306, 307, 308])

function tooLong(server: AskedServer, { words }: ServerFault): string {
  return `${server.name} says that the prompt does not fit into its window${quoteFault(words, server.sent())}. Send less, or give the model a larger window.`
}

/** Reads seconds, a date, or OpenAI's milliseconds. */
function readRetryAfter(header: (name: string) => string | null | undefined): number | undefined {
  const exact = Number.parseFloat(header('retry-after-ms') ?? '')
  if (exact >= 0) return exact
  const value = header('retry-after') ?? ''
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}

/** The innermost cause, because `fetch` itself says only "fetch failed". */
function rootOf(error: unknown): { name: string; code: string } {
  let at = error
  while (at instanceof Error && at.cause !== undefined) at = at.cause
  const { name, code } = (at ?? {}) as Fields
  return { name: typeof name === 'string' ? name : '', code: typeof code === 'string' ? code : '' }
}
