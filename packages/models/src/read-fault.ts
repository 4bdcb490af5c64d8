import { attempt, isCount, isObject } from '@throughline/core/values'
import type { OverflowTokens } from './model.ts'
import { isToldWindow } from './windows/window-fact.ts'

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

const tooLongCodes =
  /^(context_length_exceeded|exceed_context_size_error|model_max_prompt_tokens_exceeded)$/

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
  // OpenAI’s Responses, Google, xAI, Mistral, Fireworks, Together, Moonshot
  /exceeds? the context window of this model|^Input tokens exceed the configured limit/i,
  /input token count .{0,30}exceeds the maximum number of tokens/i,
  /maximum prompt length is \d|too large for model with \d{1,9} maximum context|prompt is too long: \d/i,
  /`inputs` .{0,40}must (?:be <=|have less than) \d|exceeded model token limit/i,
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
  const start = words.slice(0, 400)
  const groups = countedPrompts.map(pattern => pattern.exec(start)?.groups).find(match => match)
  const numberOf = (name: string) => Number(groups?.[name]?.replace(/,/g, ''))
  return toTokens(numberOf('prompt'), numberOf('window'))
}

/** How servers name the window, and mostly the tokens of the prompt. */
const countedPrompts: readonly RegExp[] = [
  // OpenAI, vLLM, OpenRouter, DeepSeek: the prompt alone, where the tokens of the reply are told beside it
  /^This (?:model|endpoint)'s maximum context length is (?<window>[\d,]{1,11}) tokens.{0,200}?(?<![\d,])(?<prompt>[\d,]{1,11}) (?:in the (?:messages|prompt)|of text input|(?:input|prompt) tokens)/is,
  /^This (?:model|endpoint)'s maximum context length is (?<window>[\d,]{1,11}) tokens.{0,100}?(?:requested|resulted in)(?: about)? (?<prompt>[\d,]{1,11}) tokens/is,
  /^This (?:model|endpoint)'s maximum context length is (?<window>[\d,]{1,11}) tokens/i,
  /^Input tokens exceed the configured limit of (?<window>[\d,]{1,11}) tokens(?:\. Your messages resulted in (?<prompt>[\d,]{1,11}) tokens)?/i,
  // LM Studio
  /^Trying to keep the first (?<prompt>\d{1,9}) tokens when context the overflows\. However, the model is loaded with context length of only (?<window>\d{1,9}) tokens/i,
  /^The number of tokens to keep from the initial prompt is greater than the context length \(n_keep: (?<prompt>\d{1,9}) ?>= ?n_ctx: (?<window>\d{1,9})\)/i,
  // Anthropic
  /^prompt is too long: (?<prompt>\d{1,9}) tokens > (?<window>\d{1,9}) maximum/i,
  /^input length and `max_tokens` exceed context limit: (?<prompt>\d{1,9}) \+ \d{1,9} > (?<window>\d{1,9})/i,
  // llama.cpp
  /^(?:the )?request \((?<prompt>\d{1,9}) tokens\) exceeds [a-z ]{1,40}\((?<window>\d{1,9}) tokens\)/i,
  // Google
  /^The input token count \((?<prompt>\d{1,9})\) exceeds the maximum number of tokens allowed \((?<window>\d{1,9})\)/i,
  // xAI
  /^This model's maximum prompt length is (?<window>\d{1,9}) but the request contains (?<prompt>\d{1,9}) tokens/i,
  // Mistral
  /^Prompt contains (?<prompt>\d{1,9}) tokens.{0,60}too large for model with (?<window>\d{1,9}) maximum context length/i,
  // Cerebras
  /^Please reduce the length of the messages or completion\. Current length is (?<prompt>\d{1,9}) while limit is (?<window>\d{1,9})/i,
  // Fireworks
  /^The prompt is too long: (?<prompt>\d{1,9}), model maximum context length: (?<window>\d{1,9})/i,
  // SGLang
  /^(?:The input|Requested token count) \((?<prompt>\d{1,9}) tokens\) is longer than the model's context length \((?<window>\d{1,9}) tokens\)/i,
  // Together, text-generation-inference
  /^Input validation error: `inputs` (?:tokens \+ `max_new_tokens` )?must (?:be <=|have less than) (?<window>\d{1,9})(?: tokens)?\. Given: (?<prompt>\d{1,9})/i,
  // Moonshot
  /^Invalid request: Your request exceeded model token limit: (?<window>\d{1,9})/i,
]

/** A window that cannot be true is not believed, nor one of a prompt that would have been empty. */
function toTokens(prompt: unknown, window: unknown): OverflowTokens | undefined {
  if (!isToldWindow(window)) return undefined
  return isCount(prompt, 1) ? { prompt, window } : { window }
}

const nameOf = (value: unknown): string => (typeof value === 'string' ? value : '')
