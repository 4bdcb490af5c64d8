import { ThroughlineError } from '@throughline/core/errors'
import type { MessageLike, ToolCall } from '@throughline/core/messages'
import { present } from '@throughline/core/values'
import type { Media } from './read-media.ts'

/** A tool as a model sees it. */
export interface ToolSpec {
  /** The name by which the model calls it. */
  readonly name: string
  /** What it does, for the model. */
  readonly description?: string
  /** The arguments, as a JSON Schema of an object. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** How a model should answer. Absent settings are left to the provider. */
export interface ModelSettings {
  /** How freely the model chooses its words: 0 is the least. Default: the provider's. */
  readonly temperature?: number
  /** The most tokens of the reply. Default: the provider's. */
  readonly maxTokens?: number
  /** For the same reply again, where the provider can. */
  readonly seed?: number
  /** Texts that end the reply. */
  readonly stop?: readonly string[]
  /** `'json'`, or the JSON Schema that the reply must follow. */
  readonly format?: 'json' | Readonly<Record<string, unknown>>
  /** Whether the model thinks first, and how much. `'max'` is Ollama's word; OpenAI's is `xhigh`. Default: the provider's. */
  readonly thinking?: boolean | 'low' | 'medium' | 'high' | 'max'
  /** Settings that only this provider knows, passed on unchanged. */
  readonly provider?: Readonly<Record<string, unknown>>
}

/** One call of a model. */
export interface ModelRequest {
  /** Messages in any form that `parseMessage` reads: the model converts them. */
  readonly messages: readonly MessageLike[]
  /** What the model may call. Default: nothing. */
  readonly tools?: readonly ToolSpec[]
  /** How it answers. Default: as the model was made. */
  readonly settings?: ModelSettings
  /** Stops the call; the stream then throws the signal's reason. */
  readonly signal?: AbortSignal
  /** Called with the body of each request that is about to leave, as fields in their order. Models without a server never call it. */
  onWritten?(body: {
    readonly form: string
    readonly fields: Readonly<Record<string, unknown>>
  }): void
}

/** The tokens that the provider says it read and wrote. */
export interface ModelUsage {
  /** What it read, with what came from its cache. */
  readonly promptTokens?: number
  /** What it wrote, as the provider counts it. */
  readonly replyTokens?: number
  /** The prompt tokens that came from the provider's cache. */
  readonly cachedTokens?: number
}

/** The counts that a provider told. Anything but a number is left out. */
export const toUsage = (counts: { readonly [Name in keyof ModelUsage]: unknown }): ModelUsage =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => Number.isFinite(count)))

export type ReplyCall = Required<ToolCall>

/** One piece of a reply as it streams. A reply ends with one `end`. */
export type ModelPart =
  | {
      readonly type: 'text-delta'
      readonly text: string
      /** Log probabilities of the tokens of this text, as the provider gives them, if they were asked for. */
      readonly logprobs?: readonly unknown[]
    }
  | { readonly type: 'thinking-delta'; readonly text: string }
  /** A complete call. Its arguments are JSON text, as the model wrote them. */
  | {
      readonly type: 'tool-call'
      readonly id: string
      readonly name: string
      readonly arguments: string
    }
  | {
      readonly type: 'end'
      readonly reason: EndReason
      readonly usage: ModelUsage
      /** What the server tells besides: the name of the model that answered, durations in nanoseconds. */
      readonly details?: Readonly<Record<string, unknown>>
      readonly blocks?: ReplyBlocks
    }

/** A reply with signed thoughts or searches of the provider, which wants it back unchanged. Kept as `blocks` of the message. */
export interface ReplyBlocks {
  /** Whose form it is: other providers are not sent it. */
  readonly form: string
  readonly list: readonly object[]
}

/** Of the blocks of a reply only the thoughts, where its text was changed. Undefined if there are none. */
export function onlyThoughts({ form, list }: ReplyBlocks): ReplyBlocks | undefined {
  const thoughts = list.filter(isThought)
  return thoughts.length > 0 ? { form, list: thoughts } : undefined
}

export const isThought = (block: { readonly type?: unknown }): boolean =>
  thoughtTypes.has(block.type)

const thoughtTypes: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking', 'reasoning'])

export type EndReason = 'stop' | 'length' | 'tool-calls' | 'other'

/** The reason of an end in the words of OpenAI and Ollama, which both may say `stop` after tool calls. */
export function toEndReason(reason: string, calls: number): EndReason {
  if (reason === 'stop') return calls > 0 ? 'tool-calls' : 'stop'
  if (reason === 'tool_calls' || reason === 'function_call') return 'tool-calls'
  return reason === 'length' ? 'length' : 'other'
}

/** A model: a name, a window and a stream, which is all that a turn needs. */
export interface Model {
  /** The name in records of calls; calibration goes by it. */
  readonly name: string
  /** The window in tokens, prompt and reply together; undefined if it is unknown. A provider is asked only once. */
  window(signal?: AbortSignal): Promise<number | undefined>
  /** From where the window is known, in words that follow it: `told by the server`. Absent while it is unknown. */
  windowFrom?(): string | undefined
  /** Whether its server takes that window by itself, so that no request need name it. Default: it is not known. */
  hasOwnWindow?(): boolean
  /** Streams a reply. Its last part is `end`, else it throws: a `ModelError`, or the reason of the signal unchanged. */
  stream(request: ModelRequest): AsyncIterable<ModelPart>
  /** Whether its server is on this machine or network: what it has read before then saves time. Default false. */
  readonly isLocal?: boolean
  /** Whether a system message behind other messages stays one. Default true; in Anthropic's form it becomes the user's text. */
  readonly takesLateSystem?: boolean
  /** Which files the model takes. Absent: the model sees to that itself, and gets every message as it is. */
  readonly files?: ModelFiles
}

/** Which images and other files a model takes. What it does not take is named in words in its place. */
export interface ModelFiles {
  /** Why a file cannot be sent, in words: `this model takes no images`. Undefined if it can, as far as is known. */
  refuse(file: Media): string | undefined
  /** Asks the server what the model takes, if that is not known yet. True if something new was learned. */
  learn?(signal?: AbortSignal): Promise<boolean>
}

/** The `code` of a `ModelError`. */
export type ModelErrorCode =
  /** 429, or a quota: try again later. */
  | 'model_busy'
  /** 5xx, or no server answers at the address. */
  | 'model_unavailable'
  /** 404: the provider does not have this model. */
  | 'model_not_found'
  /** 400, 401, 403 and the like: trying again does not help. */
  | 'model_refused'
  /** The prompt is longer than the window. */
  | 'context_too_long'
  /** The model was silent for too long. */
  | 'model_stalled'
  /** The stream broke off, or cannot be read. */
  | 'model_stream_broken'
  /** The model takes no files of a kind that was sent, or could not read one of them. */
  | 'files_refused'
  /** The model takes a system message only at the front. */
  | 'system_refused'
  /** The reply was longer than is taken: it was stopped. */
  | 'reply_too_large'
  /** A call holds a mark of its prompt that only stands for a text: the tool would take it for the text. */
  | 'stand_in_copied'

/** Why a model did not answer, and whether to try again. Never holds the texts that were sent. */
export class ModelError extends ThroughlineError {
  /** The HTTP status, if there was one. */
  readonly status?: number
  /** Whether the same request may succeed later. A chat then asks again by itself. */
  readonly isRetryable: boolean
  /** How long the provider asks us to wait. */
  readonly retryAfterMs?: number
  /** For a prompt that is too long: its tokens and the window, if the provider told them. */
  readonly tokens?: OverflowTokens
  /** For files that were refused: all of their kind, or those that were sent. */
  readonly files?: 'kind' | 'these'

  /** `isRetryable` is by default what the code says of itself. */
  constructor(code: ModelErrorCode, message: string, { cause, ...facts }: ModelErrorFacts = {}) {
    super(code, message, { cause })
    Object.assign(this, present(facts))
    this.isRetryable = facts.isRetryable ?? retryable.has(code)
  }
}

export type ModelErrorFacts = Partial<Omit<ModelError, keyof ThroughlineError>> & {
  readonly cause?: unknown
}

/** What a provider counted in a prompt that it refused as too long. */
export interface OverflowTokens {
  /** Absent: the provider named only the window. */
  readonly prompt?: number
  readonly window: number
}

const retryable: ReadonlySet<ModelErrorCode> = new Set([
  'model_busy',
  'model_unavailable',
  'model_stalled',
  'model_stream_broken',
  'stand_in_copied',
])
