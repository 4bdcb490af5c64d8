// Messages and models of the AI SDK, and the marks of a cache in its prompts.

export { aiSdk } from '../dialects/ai-sdk/ai-sdk.ts'
export type {
  AiSdkCall,
  AiSdkMessageV4,
  AiSdkModel,
  AiSdkStreamPart,
} from '../dialects/ai-sdk/ai-sdk-model.ts'
export { chooseMarks } from '../dialects/anthropic/mark-cache.ts'
