/** What we use of an AI SDK language model. Own types, so that users compile without its packages; tests prove that they fit. */
export interface AiSdkModel {
  /** The version of the interface: `v3` in AI SDK 6. */
  readonly specificationVersion: string
  /** The provider, and how it is asked: `openai.chat`. */
  readonly provider: string
  /** The provider's name for the model. */
  readonly modelId: string
  /** Takes an `AiSdkCall`. Typed as `never`, because each version of the AI SDK has its own type for it. */
  doStream(call: never): PromiseLike<{ readonly stream: ReadableStream<AiSdkStreamPart> }>
}

/** The options of one call, with the prompt in the form of AI SDK 5 and 6, or in that of 7. Mutable, as the AI SDK's are. */
export interface AiSdkCall<Message = AiSdkMessage> {
  prompt: Message[]
  tools?: { type: 'function'; name: string; description?: string; inputSchema: object }[]
  temperature?: number
  maxOutputTokens?: number
  seed?: number
  stopSequences?: string[]
  responseFormat?: { type: 'json'; schema?: object }
  /** How much to think; only AI SDK 7 has it. */
  reasoning?: 'none' | 'low' | 'medium' | 'high' | 'max'
  providerOptions?: Record<string, JsonObject>
  abortSignal?: AbortSignal
}

/** A message of AI SDK 5 and 6; `Data` and `Shown` are the forms of its files and of those in tool results. */
export type AiSdkMessage<Data = BareData, Shown = ImagePart> = {
  providerOptions?: Record<string, JsonObject>
} & (
  | { role: 'system'; content: string }
  | { role: 'user'; content: (PlainPart | FilePart<Data>)[] }
  | { role: 'assistant'; content: PromptPart<Data, Shown>[] }
  | { role: 'tool'; content: ResultPart<Shown>[] }
)

export type AiSdkMessageV4 = AiSdkMessage<TaggedData, FilePart<TaggedData>>

export type PromptPart<Data = BareData, Shown = ImagePart> =
  | PlainPart
  | FilePart<Data>
  | { type: 'reasoning'; text: string }
  | CallPart
  | ResultPart<Shown>

export type BareData = Uint8Array | string | URL

/** The data of a file since AI SDK 7, where it says what it is. */
export type TaggedData =
  | { type: 'data'; data: Uint8Array | string }
  | { type: 'url'; url: URL }
  | { type: 'reference'; reference: Record<string, string> & { type?: never } }
  | { type: 'text'; text: string }

export interface PlainPart {
  type: 'text'
  text: string
}

export interface FilePart<Data = BareData> {
  type: 'file'
  mediaType: string
  data: Data
  filename?: string
}

export interface CallPart {
  type: 'tool-call'
  toolCallId: string
  toolName: string
  input: unknown
}

export interface ResultPart<Shown = ImagePart> {
  type: 'tool-result'
  toolCallId: string
  toolName: string
  output: { type: 'text'; value: string } | { type: 'content'; value: (PlainPart | Shown)[] }
}

type ImagePart =
  | { type: 'image-data'; data: string; mediaType: string }
  | { type: 'image-url'; url: string }

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

export type JsonObject = { [key: string]: JsonValue | undefined }
type JsonValue = null | string | number | boolean | JsonValue[] | JsonObject
