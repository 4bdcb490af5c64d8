import type { MessageLike } from '../log/message.ts'

/** A tool as a model is told of it. */
export interface ToolSpec {
  readonly name: string
  readonly description?: string
  /** The arguments, as a JSON Schema of an object. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** How a model should answer. What is absent is left to the provider. */
export interface ModelSettings {
  readonly temperature?: number
  /** The most that the reply may be, in tokens. */
  readonly maxTokens?: number
  readonly seed?: number
  readonly stop?: readonly string[]
  /** `'json'`, or the JSON Schema that the reply must follow. */
  readonly format?: 'json' | Readonly<Record<string, unknown>>
  readonly thinking?: boolean | 'low' | 'medium' | 'high'
  /** What only this provider knows, passed on as it is. */
  readonly provider?: Readonly<Record<string, unknown>>
}

export interface ModelRequest {
  /** In the shape of any provider that `parseMessage` reads: the model turns them into its own. */
  readonly messages: readonly MessageLike[]
  readonly tools?: readonly ToolSpec[]
  readonly settings?: ModelSettings
  readonly signal?: AbortSignal
}

/** What the provider says it read and wrote. */
export interface ModelUsage {
  readonly promptTokens?: number
  readonly replyTokens?: number
  /** The part of the prompt that it did not have to read again. */
  readonly cachedTokens?: number
}

export type ModelPart =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'thinking-delta'; readonly text: string }
  /** A whole call: its arguments are JSON text, as the model wrote them. */
  | { readonly type: 'tool-call'; readonly id: string; readonly name: string; readonly arguments: string }
  | {
      readonly type: 'end'
      readonly reason: 'stop' | 'length' | 'tool-calls' | 'other'
      readonly usage: ModelUsage
    }

/** What answers. Smallest thing that a whole turn needs: a name, a window and a stream. */
export interface Model {
  readonly name: string
  /** The tokens that it takes, prompt and reply together. Asked once, then known; undefined when nobody can say. */
  window(signal?: AbortSignal): Promise<number | undefined>
  /**
   * The last part is `end`; a stream that stops without it has broken and throws. Every error is a `ModelError`, but for
   * the reason of the signal, which is thrown as it is.
   */
  stream(request: ModelRequest): AsyncIterable<ModelPart>
}
