import { attempt, isObject } from '../log/values.ts'
import { isWindow } from './check-options.ts'
import type { OverflowTokens } from './model.ts'

export interface ServerFault {
  readonly words: string
  /** The provider's own code or type; empty if there is none. */
  readonly code: string
  /** For a prompt that is too long, if the provider counts it. */
  readonly tokens?: OverflowTokens
}

/** Reads the body of an error in the forms of Ollama, OpenAI and compatible servers. */
export function readFault(value: unknown): ServerFault {
  if (typeof value === 'string') return readText(value)
  if (!isObject(value)) return none
  const { error, message, detail, code, type, n_prompt_tokens, n_ctx } = value
  const inner = error ?? message ?? detail
  if (inner === undefined || inner === value) return none
  const fault = readFault(inner)
  const tokens = toTokens(n_prompt_tokens, n_ctx) ?? fault.tokens
  return { words: fault.words, code: fault.code || nameOf(code) || nameOf(type), tokens }
}

/** Reads at most `limit` characters of an error's body: it may be endless, and may break off. */
export async function readStart(body: AsyncIterable<Uint8Array>, limit = 65_536): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true })
      if (text.length >= limit) break
    }
  } catch {
    // The status must do.
  }
  return text
}

/** Whether the prompt was too long, by the code or by the words of servers without codes. */
export const isTooLong = ({ words, code }: ServerFault): boolean =>
  tooLongCodes.test(code) || tooLongWords.some(pattern => pattern.test(words))

/** Whether a template refuses a system message behind others, or roles that do not alternate, as those of Qwen and Gemma do. */
export const refusesLateSystem = ({ words }: ServerFault): boolean =>
  /system message must be|roles must alternate/i.test(words.slice(0, 1000))

/** Whether a server refused the files of a request: all of a kind, as the model takes none, or those that were sent. */
export function refusedFiles({ words }: ServerFault): 'kind' | 'these' | undefined {
  const start = words.slice(0, 1000)
  if (!fileWords.test(start)) return undefined
  if (noFilesWords.some(pattern => pattern.test(start))) return 'kind'
  return badFileWords.test(start) ? 'these' : undefined
}

const fileWords =
  /image|vision|multi-?modal|mmproj|audio|video|\bpdf\b|\bfiles?\b|media|content type|content part/i

const noFilesWords: readonly RegExp[] = [
  // LM Studio, OpenRouter, vLLM, SGLang and others
  /(?:does not|doesn't|do not|not|cannot|no endpoints found that) (?:support|accept|take|process)/i,
  // llama.cpp; OpenAI
  /\bnot supported|unsupported|only supported by|is only available/i,
  // vLLM
  /at most 0 |not a multi-?modal/i,
  // Ollama
  /missing data required for image|no vision|without vision/i,
]

const badFileWords =
  /invalid|fail|could not|cannot|unable|decod|process|download|fetch|corrupt|unknown format|load/i

const none: ServerFault = { words: '', code: '' }

const tooLongCodes = /^(context_length_exceeded|exceed_context_size_error|model_max_prompt_tokens_exceeded)$/

const tooLongWords: readonly RegExp[] = [
  // Ollama
  /input length exceeds the context length/i,
  // OpenAI, vLLM, OpenRouter
  /maximum context length/i,
  /maximum model length/i,
  // llama.cpp, and Ollama where it runs one
  /exceeds? the (available|max(imum)?) context (size|length|window)/i,
  // LM Studio
  /context the overflows|context length of only|context size has been exceeded|reached context length/i,
  /tokens to keep from the initial prompt is greater than the context length/i,
  // Anthropic
  /^prompt is too long: \d|^input length and `max_tokens` exceed context limit/i,
  // SGLang
  /longer than the model'?s context length|exceeds the model'?s (maximum )?context length/i,
  /reduce the length of the (messages|prompt|input)/i,
]

/** Reads the words of an error, which are JSON again if one server quotes another. */
function readText(text: string): ServerFault {
  const trimmed = text.trim()
  if (trimmed.startsWith('<')) return none
  if (!trimmed.startsWith('{')) return { words: trimmed, code: '', tokens: tokensIn(trimmed) }
  return attempt(() => readFault(JSON.parse(trimmed)), none)
}

/** Counts in the words of servers that have no fields for them. Only near the start: the rest may repeat the prompt. */
function tokensIn(words: string): OverflowTokens | undefined {
  const start = words.slice(0, 300)
  const [, window] = /^This model's maximum context length is (\d{1,9}) tokens/i.exec(start) ?? []
  if (window !== undefined) {
    const prompt =
      /(\d{1,9}) (?:in the (?:messages|prompt)|(?:input|prompt) tokens)/i.exec(start)?.[1] ??
      /you requested (\d{1,9}) tokens/i.exec(start)?.[1]
    return toTokens(Number(prompt), Number(window))
  }
  const [, ...pair] = countedPrompts.map(pattern => pattern.exec(start)).find(match => match) ?? []
  return toTokens(Number(pair[0]), Number(pair[1]))
}

/** The prompt, then the window. */
const countedPrompts: readonly RegExp[] = [
  // LM Studio
  /^Trying to keep the first (\d{1,9}) tokens when context the overflows\. However, the model is loaded with context length of only (\d{1,9}) tokens/i,
  // Anthropic
  /^prompt is too long: (\d{1,9}) tokens > (\d{1,9}) maximum/i,
  /^input length and `max_tokens` exceed context limit: (\d{1,9}) \+ \d{1,9} > (\d{1,9})/i,
  // llama.cpp
  /^(?:the )?request \((\d{1,9}) tokens\) exceeds [a-z ]{1,40}\((\d{1,9}) tokens\)/i,
]

const toTokens = (prompt: unknown, window: unknown): OverflowTokens | undefined =>
  isWindow(prompt) && isWindow(window) ? { prompt, window } : undefined

const nameOf = (value: unknown): string => (typeof value === 'string' ? value : '')
