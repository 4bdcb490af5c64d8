export { type AiSdkOptions, aiSdk } from './ai-sdk/ai-sdk.ts'
export type { AiSdkModel } from './ai-sdk/ai-sdk-model.ts'
export type { Model, ModelPart, ModelRequest, ModelSettings, ModelUsage, ToolSpec } from './model.ts'
export { ModelError, type ModelErrorCode } from './model-error.ts'
export { type OllamaOptions, ollama } from './ollama/ollama.ts'
export { type OpenAiCompatibleOptions, openaiCompatible } from './openai/openai-compatible.ts'
export type { ReaderAnswer, ReaderQuestion } from './reader/answer.ts'
export { countWords } from './reader/count-words.ts'
export { type ReaderOptions, reader } from './reader/reader.ts'
export {
  type ReaderUpstreamOptions,
  readerUpstream,
  type SeenRequest,
} from './reader/upstream/reader-upstream.ts'
export { type RulesAnswer, type RulesOptions, type RulesRequest, rules } from './rules.ts'
