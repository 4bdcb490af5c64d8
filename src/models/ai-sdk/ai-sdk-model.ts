/**
 * The part of an AI SDK language model that we use. Our own types, so that compiling against Throughline does not need the
 * AI SDK's packages; tests prove that the real ones fit. Lists are mutable where the AI SDK's are.
 */
export interface AiSdkModel {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  /** Takes an `AiSdkCall`. Typed as `never`, because each version of the AI SDK has its own type for it. */
  doStream(call: never): PromiseLike<{ readonly stream: ReadableStream<AiSdkStreamPart> }>
}

/** The options of one call. */
export interface AiSdkCall {
  prompt: AiSdkMessage[]
  tools?: { type: 'function'; name: string; description?: string; inputSchema: object }[]
  temperature?: number
  maxOutputTokens?: number
  seed?: number
  stopSequences?: string[]
  responseFormat?: { type: 'json'; schema?: object }
  providerOptions?: Record<string, JsonObject>
  abortSignal?: AbortSignal
}

export type AiSdkMessage = { providerOptions?: Record<string, JsonObject> } & (
  | { role: 'system'; content: string }
  | { role: 'user'; content: (TextPart | FilePart)[] }
  | { role: 'assistant'; content: PromptPart[] }
  | { role: 'tool'; content: ResultPart[] }
)

export type PromptPart = TextPart | FilePart | { type: 'reasoning'; text: string } | CallPart | ResultPart

export interface TextPart {
  type: 'text'
  text: string
}

export interface FilePart {
  type: 'file'
  mediaType: string
  data: Uint8Array | string | URL
  filename?: string
}

export interface CallPart {
  type: 'tool-call'
  toolCallId: string
  toolName: string
  input: unknown
}

export interface ResultPart {
  type: 'tool-result'
  toolCallId: string
  toolName: string
  output: { type: 'text'; value: string } | { type: 'content'; value: (TextPart | ImagePart)[] }
}

type ImagePart = { type: 'image-data'; data: string; mediaType: string } | { type: 'image-url'; url: string }

/** A part of the stream. Its fields depend on the type, and a little on the version of the AI SDK. */
export interface AiSdkStreamPart {
  readonly type: string
  readonly delta?: unknown
  readonly toolCallId?: unknown
  readonly toolName?: unknown
  readonly input?: unknown
  readonly providerExecuted?: unknown
  readonly usage?: unknown
  readonly finishReason?: unknown
  readonly error?: unknown
}

export type JsonObject = { [key: string]: Json | undefined }
type Json = null | string | number | boolean | Json[] | JsonObject
