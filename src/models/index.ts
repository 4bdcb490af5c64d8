export { type AiSdkOptions, aiSdk } from './ai-sdk/ai-sdk.ts'
export type { AiSdkModel } from './ai-sdk/ai-sdk-model.ts'
export type { Model, ModelPart, ModelRequest, ModelSettings, ModelUsage, ToolSpec } from './model.ts'
export { ModelError, type ModelErrorCode } from './model-error.ts'
export { type OllamaOptions, ollama } from './ollama/ollama.ts'
export { type OpenAiCompatibleOptions, openaiCompatible } from './openai/openai-compatible.ts'
export {
  countWords,
  type ReaderAnswer,
  type ReaderOptions,
  type ReaderQuestion,
  type ReaderUpstreamOptions,
  reader,
  readerUpstream,
  type SeenRequest,
} from './reader/index.ts'
export { type RulesAnswer, type RulesOptions, type RulesRequest, rules } from './rules.ts'
