import type { AdapterFault } from '../adapter.ts'

/** An error. A prompt that is too long has the words of Ollama's own runner, which clients read the counts from. */
export function toError({ code, message, tokens, details = '' }: AdapterFault): { error: string } {
  if (code !== 'context_too_long') return { error: message }
  if (!tokens) return { error: `the input length exceeds the context length: ${message}` }
  const { prompt, window } = tokens
  const error = {
    code: 400,
    message: `request (${prompt} tokens) exceeds the available context size (${window} tokens)${details && `. ${details}`}`,
    type: 'exceed_context_size_error',
    n_prompt_tokens: prompt,
    n_ctx: window,
  }
  return { error: JSON.stringify({ error }) }
}
