export type { Embedder, EmbedRequest } from '@throughline/core/recall'
export { type AiSdkOptions, aiSdk } from './dialects/ai-sdk/ai-sdk.ts'
export type { AiSdkModel } from './dialects/ai-sdk/ai-sdk-model.ts'
export { type AnthropicOptions, anthropic } from './dialects/anthropic/anthropic.ts'
export {
  type OllamaEmbedOptions,
  type OllamaOptions,
  ollama,
  ollamaEmbed,
} from './dialects/ollama/ollama.ts'
export {
  type OpenAiCompatibleOptions,
  openaiCompatible,
} from './dialects/openai/openai-compatible.ts'
export type {
  Model,
  ModelPart,
  ModelRequest,
  ModelSettings,
  ModelUsage,
  ToolSpec,
} from './model.ts'
export { ModelError, type ModelErrorCode } from './model.ts'
export type { ReaderAnswer, ReaderQuestion } from './reader/answer.ts'
export { countWords } from './reader/count-words.ts'
export { type ReaderOptions, reader } from './reader/reader.ts'
export { type RulesAnswer, type RulesOptions, type RulesRequest, rules } from './rules.ts'
export type { Transformers, TransformersEmbedOptions } from './transformers/transformers-embed.ts'
export { transformersEmbed } from './transformers/transformers-embed.ts'
