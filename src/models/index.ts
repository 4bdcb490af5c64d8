export { type AiSdkOptions, aiSdk } from './ai-sdk/ai-sdk.ts'
export type { AiSdkModel } from './ai-sdk/ai-sdk-model.ts'
export { type AnthropicOptions, anthropic } from './anthropic/anthropic.ts'
export type { Embedder, EmbedRequest } from './embedder.ts'
export type { Model, ModelPart, ModelRequest, ModelSettings, ModelUsage, ToolSpec } from './model.ts'
export { ModelError, type ModelErrorCode } from './model.ts'
export { type OllamaOptions, ollama } from './ollama/ollama.ts'
export { type OllamaEmbedOptions, ollamaEmbed } from './ollama/ollama-embed.ts'
export { type OpenAiCompatibleOptions, openaiCompatible } from './openai/openai-compatible.ts'
export type { ReaderAnswer, ReaderQuestion } from './reader/answer.ts'
export { countWords } from './reader/count-words.ts'
export { type ReaderOptions, reader } from './reader/reader.ts'
export { type RulesAnswer, type RulesOptions, type RulesRequest, rules } from './rules.ts'
export {
  type Transformers,
  type TransformersEmbedOptions,
  transformersEmbed,
} from './transformers/transformers-embed.ts'
