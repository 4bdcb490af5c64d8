import { ModelError, type ModelErrorCode } from '../../model.ts'
import { quoteFault, quotesReply, safeCause } from '../../quote-fault.ts'
import { isTooLong, readFault, type ServerFault } from '../../read-fault.ts'
import { type AskedServer, factsOf } from '../../to-model-error.ts'

/** The model that was asked, and the texts that were sent: no error message may hold them. */
export type AskedModel = Pick<AskedServer, 'name' | 'sent'>

/** The fields of the AI SDK's errors. Read by shape, because two copies of its packages have different classes. */
interface AiSdkError {
  readonly name?: unknown
  readonly statusCode?: unknown
  readonly responseHeaders?: Readonly<Record<string, string>>
  readonly responseBody?: unknown
  readonly data?: unknown
  readonly isRetryable?: unknown
}

/** Converts an error of the AI SDK. Keeps only safe parts of the cause: an APICallError holds the whole request. */
export function toModelError(
  error: unknown,
  { name, sent }: AskedModel,
  during: 'call' | 'stream',
) {
  const failure: AiSdkError = typeof error === 'object' && error !== null ? error : {}
  const { statusCode, responseBody, data, responseHeaders } = failure
  const status = typeof statusCode === 'number' ? statusCode : undefined
  const faults = [responseBody, data, error].map(readFault)
  const fault = faults.find(({ words, code }) => words !== '' || code !== '') ?? {
    words: '',
    code: '',
  }
  const code = codeOf(failure, status, fault, during)
  const [what, todo] = texts[code]
  const why = [status, ...[failure.name, fault.code].filter(isName)].filter(
    one => one !== undefined,
  )
  // Some errors quote a reply, and a refused key may be repeated in part.
  const words = quotesReply(error) || isAboutKey(status) ? '' : quoteFault(fault.words, sent())
  const text = `${what}${why.length > 0 ? ` (${why.join(', ')})` : ''}${words}`
  return new ModelError(code, `Model "${name}" ${text}. ${todo}.`, {
    status,
    ...factsOf(code, fault, name => responseHeaders?.[name]),
    cause: isAboutKey(status) ? undefined : safeCause(error, sent()),
  })
}

const texts: Readonly<Record<ModelErrorCode, readonly [what: string, todo: string]>> = {
  model_busy: ['is busy, or a quota is used up', 'Try again later'],
  model_unavailable: ['cannot be reached, or failed', 'See that its server runs, then ask again'],
  model_not_found: ['is not known to its provider', 'Check its name'],
  model_refused: ['refused the request', 'Check the key, the settings and the messages'],
  context_too_long: [
    'says that the prompt does not fit',
    'Send less, or give the model a larger window',
  ],
  model_stalled: ['sent nothing for too long', 'Ask again'],
  model_stream_broken: ['broke off its reply', 'What came is not the whole: ask again'],
  files_refused: ['does not take a file that was sent', 'Send it as a text'],
  system_refused: [
    'takes system messages only at the front',
    "Set systemPrompt to 'as user' or 'as sent'",
  ],
  reply_too_large: ['wrote a reply that is too long', 'Ask for less'],
  stand_in_copied: ['called a tool with a mark that only stands for a text', 'Ask again'],
}

function codeOf(
  { name, isRetryable }: AiSdkError,
  status: number | undefined,
  fault: ServerFault,
  during: 'call' | 'stream',
): ModelErrorCode {
  const isRefusal = status === undefined || status === 400 || status === 413 || status === 422
  if (isRefusal && (isTooLong(fault) || tooLong.test(fault.words))) return 'context_too_long'
  if (status === 429) return 'model_busy'
  if (status === 404 || name === 'AI_NoSuchModelError') return 'model_not_found'
  if (status === 408 || (status !== undefined && status >= 500)) return 'model_unavailable'
  if (status !== undefined && status >= 400) return 'model_refused'
  if (during === 'stream') return 'model_stream_broken'
  // No answer at all: `fetch` throws a TypeError, the AI SDK marks its error as retryable.
  const isUnreachable =
    isRetryable === true || (name === 'TypeError' && fault.words === 'fetch failed')
  return isUnreachable ? 'model_unavailable' : 'model_refused'
}

/** How Anthropic and Google, which only the AI SDK reaches, say that a prompt is too long. */
const tooLong = /prompt is too long|token count[^\n]{0,40}exceeds|too many (?:input )?tokens/i

const isAboutKey = (status: number | undefined) => status === 401 || status === 403

const isName = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Za-z][\w.-]{1,63}$/.test(value) && value !== 'AI_APICallError'
