import type { Fields } from '@throughline/core/fields'
import type { MessageLike } from '@throughline/core/messages'
import type { HttpFault } from '../http-fault.ts'
import type { EndReason, ModelSettings, ModelUsage, ReplyCall, ToolSpec } from '../model.ts'

/** What a client asks for on any adapter, in our words. */
export interface ChatRequest {
  readonly model: string
  /** The leading system messages, joined: sent first and fresh with every call, not part of the log. */
  readonly system?: string
  /** Whether the client marked a part of the system prompt for caching: then it is sent as it is. */
  readonly marksCache?: boolean
  /** All other messages, in order, each in a form that `parseMessage` reads. */
  readonly messages: readonly MessageLike[]
  /** Where each of them stands in the client's own list. Absent where a request was not read from an adapter. */
  readonly origins?: readonly Origin[]
  readonly tools: readonly ToolSpec[]
  /** Kinds of tools that the upstream cannot be sent, as only their provider runs them: the client is told. */
  readonly leftOut?: readonly string[]
  /** `provider` holds what only some upstreams know: flat, in the one vocabulary of `read-settings.ts`. */
  readonly settings: ModelSettings
  readonly stream: boolean
  /** Ollama: the window that the client asks for, `num_ctx`. */
  readonly window?: number
  /** What the body itself says about the conversation. */
  readonly named: NamedPlace
  /** What the writer of the same adapter needs to know of the request: whether usage was asked for, say. */
  readonly hints: Readonly<Record<string, unknown>>
}

/** The entries of a client's list that one message was read from, the last one included. */
export interface Origin {
  readonly first: number
  readonly last: number
  /** The blocks of the entry, if others of its blocks are other messages. */
  readonly blocks?: readonly number[]
}

export interface NamedPlace {
  /** Responses: the id of the reply that this request goes on from, without the adapter's prefix. */
  readonly previous?: string
  /** Responses: the conversation; the body holds only what is new. */
  readonly conversation?: string
  /** Responses: earlier replies that the body only names. Their messages belong before the place `at` of `messages`. */
  readonly references?: readonly { readonly at: number; readonly reply: string }[]
  /** Responses: what the log has of a list that was compacted here; `messages` go on from there. */
  readonly past?: NamedPast
  /** `user`, or `metadata.user_id`, which also holds the session of some clients. */
  readonly user?: string
  /** Responses: false if the answer must not be found again. */
  readonly isStored?: boolean
}

/** A thread of the log up to a place. */
export interface NamedPast {
  readonly conversation: string
  readonly actor: string
  readonly branch: string
  readonly at: number
}

/** The answer to a request, known before the model speaks. */
export interface ReplyStart {
  /** A unique text without a prefix: every adapter adds its own. */
  readonly id: string
  /** Milliseconds since 1970. */
  readonly time: number
  readonly model: string
  readonly request: ChatRequest
  readonly promptTokens: number
}

/** The end of a reply. `text`, `thinking` and `calls` are all of it. */
export interface ReplyEnd {
  readonly reason: EndReason
  readonly text: string
  readonly thinking: string
  readonly usage: ModelUsage
  readonly calls: readonly ReplyCall[]
  /** Log probabilities of the visible tokens, as the upstream gave them. */
  readonly logprobs?: readonly unknown[]
  /** How texts and thoughts followed each other in a stream. Absent: all thoughts, then all of the text. */
  readonly pieces?: readonly ReplyPiece[]
  /** Fields of the upstream's last line that only Ollama's adapter knows: `total_duration` and the like. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** A stretch of a reply that is only text, or only thoughts, with its length. */
export type ReplyPiece = readonly [kind: 'text' | 'thinking', length: number]

/** Why a request failed, before an adapter words it. */
export interface AdapterFault extends HttpFault {
  /** All that is wrong, each with its place, where there may be several: `roles[0].tools[1]: there is no tool "sell"`. */
  readonly problems?: readonly string[]
  /** Where our code failed, for the log of the server only. */
  readonly failure?: string
}

export interface ReplyStream {
  start(): string
  text(delta: string, logprobs?: readonly unknown[]): string
  thinking(delta: string): string
  /** Complete calls, after all text and thinking. */
  calls(calls: readonly ReplyCall[]): string
  end(end: ReplyEnd): string
  /** Ends a stream that failed after it began. */
  fail(fault: AdapterFault): string
  /** Keeps a silent connection alive. Default: see `signOfLife`. */
  idle?(): string
}

/** One wire format: how its requests are read and its answers written. */
export interface Adapter {
  /** For logs and metrics: nothing is decided by it. */
  readonly name: string
  /** An upstream that speaks the same form is sent what the client wrote. Absent for a form that no upstream speaks. */
  readonly form?: string
  /** The field of a body that holds its messages, for refusals. Default `messages`. */
  readonly field?: string
  readonly streamType: 'application/x-ndjson' | 'text/event-stream'
  /** The fields that stand in the address and not in the body: Gemini's clients name the model there. */
  inAddress?(address: URL): Fields
  /**
   * Reads a body that was parsed from JSON. Throws BadRequestError, which names the field. `headers`: of the request. `isOwnForm`:
   * the upstream speaks the form too, so what only such an upstream understands is not refused. Default false.
   */
  read(
    body: unknown,
    headers?: Readonly<Record<string, string | undefined>>,
    isOwnForm?: boolean,
  ): ChatRequest
  /** What a body holds that not every server of the form takes, and that can be said in another form. Absent: nothing. */
  rareKinds?(body: Fields): readonly string[]
  stream(start: ReplyStart): ReplyStream
  /** The body of an answer that is not streamed. */
  whole(start: ReplyStart, end: ReplyEnd): unknown
  fault(fault: AdapterFault, requestId: string): { readonly status: number; readonly body: unknown }
}
