import type { Adapter } from './adapter.ts'
import { messagesAdapter } from './anthropic/messages-adapter.ts'
import { ollamaAdapter } from './ollama/ollama-adapter.ts'
import { openaiAdapter } from './openai/openai-adapter.ts'
import { compactAdapter, responsesAdapter } from './responses/responses-adapter.ts'

export * from './adapter.ts'
export { messagesAdapter, toTokenCount } from './anthropic/messages-adapter.ts'
export { ollamaAdapter } from './ollama/ollama-adapter.ts'
export { openaiAdapter } from './openai/openai-adapter.ts'
export { responsesAdapter } from './responses/responses-adapter.ts'

/** The adapters, by their addresses. */
export const adapterPaths: readonly (readonly [path: string, adapter: Adapter])[] = [
  ['/api/chat', ollamaAdapter],
  ['/v1/chat/completions', openaiAdapter],
  ['/v1/messages', messagesAdapter],
  ['/v1/responses', responsesAdapter],
  ['/v1/responses/compact', compactAdapter],
]
