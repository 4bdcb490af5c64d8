/** Read by the type checker alone: the real packages' types fit ours, and ours fit theirs. */
import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2Middleware,
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Message,
  LanguageModelV3Middleware,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider'
import type {
  AIMessage,
  BaseMessage,
  BaseMessageLike,
  HumanMessage,
  ToolMessage,
} from '@langchain/core/messages'
import type { MessageLike } from '@throughline/core/messages'
import type {
  AiSdkCall,
  AiSdkMessageV4,
  AiSdkModel,
  AiSdkStreamPart,
} from '@throughline/models/ai-sdk'
import type { AddedMessage, LangChainMessage } from '@throughline/models/langchain'
import type { ModelMessage, PrepareStepFunction, SystemModelMessage, ToolSet } from 'ai'
import type * as ai7 from 'ai-7'
import type { OpenAICompatibleProvider } from 'ai-sdk-openai-compatible-3'
import type { FitStepOptions, fitStep, ToolSetLike } from './ai-sdk/fit-step.ts'
import type { PromptParams, ThroughlineMiddleware } from './ai-sdk/throughline-middleware.ts'

/** The types of a provider for AI SDK 7. The package that names them is not installed beside that of 6. */
type LanguageModelV4 = ReturnType<OpenAICompatibleProvider>
type LanguageModelV4CallOptions = Parameters<LanguageModelV4['doStream']>[0]
type StreamOf<Model extends AiSdkModel> = Awaited<ReturnType<Model['doStream']>>['stream']
type LanguageModelV4StreamPart =
  StreamOf<LanguageModelV4> extends ReadableStream<infer Part> ? Part : never

/** Compiles only where `From` can be given where `To` is wanted. */
type Fits<From extends To, To> = From

export type Checks = [
  // Their models are taken by aiSdk, and take what it sends.
  Fits<LanguageModelV3, AiSdkModel>,
  Fits<LanguageModelV2, AiSdkModel>,
  Fits<LanguageModelV4, AiSdkModel>,
  Fits<LanguageModelV3StreamPart, AiSdkStreamPart>,
  Fits<LanguageModelV4StreamPart, AiSdkStreamPart>,
  Fits<AiSdkCall, LanguageModelV3CallOptions>,
  Fits<AiSdkCall<AiSdkMessageV4>, LanguageModelV4CallOptions>,
  // wrapLanguageModel takes our middleware, which takes its parameters.
  Fits<ThroughlineMiddleware, LanguageModelV3Middleware>,
  Fits<ThroughlineMiddleware, LanguageModelV2Middleware>,
  Fits<ThroughlineMiddleware, ai7.LanguageModelMiddleware>,
  Fits<LanguageModelV4CallOptions, PromptParams>,
  Fits<LanguageModelV3CallOptions, PromptParams>,
  Fits<LanguageModelV2CallOptions, PromptParams>,
  Fits<LanguageModelV3Message, MessageLike>,
  // generateText takes our step, which takes its messages, its system and its tools.
  Fits<ReturnType<typeof fitStep>, PrepareStepFunction>,
  Fits<ReturnType<typeof fitStep>, ai7.PrepareStepFunction<ai7.ToolSet>>,
  Fits<ModelMessage, MessageLike>,
  Fits<ai7.ModelMessage, MessageLike>,
  Fits<ToolSet, ToolSetLike>,
  Fits<ai7.ToolSet, ToolSetLike>,
  Fits<string | SystemModelMessage | SystemModelMessage[], NonNullable<FitStepOptions['system']>>,
  // LangChain's messages are taken, and what we add is taken by LangChain.
  Fits<BaseMessage | HumanMessage | AIMessage | ToolMessage, LangChainMessage>,
  Fits<AddedMessage, BaseMessageLike>,
]
