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
import type { ModelMessage, PrepareStepFunction, SystemModelMessage, ToolSet } from 'ai'
import type { MessageLike } from '../log/message.ts'
import type { AiSdkCall, AiSdkModel, AiSdkStreamPart } from '../models/ai-sdk/ai-sdk-model.ts'
import type { FitStepOptions, fitStep, ToolSetLike } from './ai-sdk/fit-step.ts'
import type { PromptParams, ThroughlineMiddleware } from './ai-sdk/throughline-middleware.ts'
import type { AddedMessage } from './langchain/fit-lang-chain.ts'
import type { LangChainMessage } from './langchain/from-lang-chain.ts'

/** Compiles only where `From` can be given to whoever wants `To`. */
type Fits<From extends To, To> = From

export type Checks = [
  // Their models are taken by aiSdk, and take what it sends.
  Fits<LanguageModelV3, AiSdkModel>,
  Fits<LanguageModelV2, AiSdkModel>,
  Fits<LanguageModelV3StreamPart, AiSdkStreamPart>,
  Fits<AiSdkCall, LanguageModelV3CallOptions>,
  // wrapLanguageModel takes our middleware, which takes its parameters.
  Fits<ThroughlineMiddleware, LanguageModelV3Middleware>,
  Fits<ThroughlineMiddleware, LanguageModelV2Middleware>,
  Fits<LanguageModelV3CallOptions, PromptParams>,
  Fits<LanguageModelV2CallOptions, PromptParams>,
  Fits<LanguageModelV3Message, MessageLike>,
  // generateText takes our step, which takes its messages, its system and its tools.
  Fits<ReturnType<typeof fitStep>, PrepareStepFunction>,
  Fits<ModelMessage, MessageLike>,
  Fits<ToolSet, ToolSetLike>,
  Fits<string | SystemModelMessage | SystemModelMessage[], NonNullable<FitStepOptions['system']>>,
  // LangChain's messages are taken, and what we add is taken by LangChain.
  Fits<BaseMessage | HumanMessage | AIMessage | ToolMessage, LangChainMessage>,
  Fits<AddedMessage, BaseMessageLike>,
]
