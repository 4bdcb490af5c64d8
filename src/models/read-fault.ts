/** What a provider says went wrong. */
export interface Fault {
  readonly words: string
  /** The provider's own code or type; empty if there is none. */
  readonly code: string
}

/** Reads the body of an error in the forms of Ollama, OpenAI and compatible servers. */
export function readFault(value: unknown): Fault {
  if (typeof value === 'string') return readText(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return none
  const { error, message, detail, code, type } = value as Record<string, unknown>
  const inner = error ?? message ?? detail
  if (inner === undefined || inner === value) return none
  const fault = readFault(inner)
  return { words: fault.words, code: fault.code || nameOf(code) || nameOf(type) }
}

/** Whether the prompt was too long, by the code or by the words of servers without codes. */
export function isTooLong({ words, code }: Fault): boolean {
  return tooLongCodes.test(code) || tooLongWords.some(pattern => pattern.test(words))
}

const none: Fault = { words: '', code: '' }

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
  // SGLang
  /longer than the model'?s context length|exceeds the model'?s (maximum )?context length/i,
  /reduce the length of the (messages|prompt|input)/i,
]

/** Reads the words of an error, which are JSON again if one server quotes another. */
function readText(text: string): Fault {
  const trimmed = text.trim()
  if (trimmed.startsWith('<')) return none
  if (!trimmed.startsWith('{')) return { words: trimmed, code: '' }
  try {
    return readFault(JSON.parse(trimmed))
  } catch {
    return none
  }
}

function nameOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
