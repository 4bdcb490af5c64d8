import type { Fields } from '@throughline/core/fields'
import type { MessageLike } from '@throughline/core/messages'
import type { LearnedFiles } from '../leave-out.ts'
import type { ModelPart, ModelSettings, ToolSpec } from '../model.ts'
import type { AskedServer } from '../to-model-error.ts'
import type { WindowFact } from '../windows/window-fact.ts'
import type { HttpAnswer } from './connection.ts'

/** How a request for a reply travels in one form, and how the reply is read. */
export interface ReplyWire {
  /** The name of the form, as its dialect has it. */
  readonly form: string
  /** Whether its system prompt stands beside the list, so that no system message may stand behind others. */
  readonly hasSystemBeside?: boolean
  readonly path: string
  /** What is sent in place of each message, in this form. */
  each(messages: readonly MessageLike[]): readonly (readonly object[])[]
  /** A body that is no longer the client's own, with marks for the provider's cache. Absent where none are needed. */
  mark?(body: Fields): Fields
  readonly piece: 'line' | 'event'
  /** The data of the event that ends every stream, where it is not JSON. */
  readonly lastEvent?: string
  read(server: AskedServer): ReplyReader
  /** Reads a reply that is not streamed; undefined where it is not a JSON object. Default: it is read as an only event. */
  readWhole?(reply: Fields | undefined, server: AskedServer): readonly ModelPart[]
}

/** One form in which model servers are spoken to: a writer of its requests and a reader of its answers. */
export interface Wire extends ReplyWire {
  describe(address: string, model: string): Pick<AskedServer, 'name' | 'notFound' | 'unavailable'>
  write(reply: WantedReply): object | Promise<object>
  /** The window of a model, as far as the server tells it. */
  findWindow(ask: Ask, model: string, signal?: AbortSignal): Promise<WindowFact>
  /** The window that counts where a client asks for one. Absent where clients cannot choose. */
  wishWindow?(ask: Ask, model: string, tokens: number, signal?: AbortSignal): Promise<WindowFact>
  listModels(ask: Ask, signal?: AbortSignal): Promise<readonly ListedModel[]>
  files(ask: Ask, model: string): LearnedFiles
  /** The exact tokens of a prompt; undefined if the server does not count them. Absent: no such server does. */
  count?(ask: Ask, prompt: Prompt, signal?: AbortSignal): Promise<number | undefined>
}

/** Asks a server for facts that need no model. Gives the JSON of its answer. */
export type Ask = (question: ServerQuestion) => Promise<unknown>

export interface ServerQuestion {
  readonly path: string
  /** Sent by POST, as it is if it is a text or bytes, else as JSON. Without it the method is GET. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Called with an answer that refuses the request, before its error is thrown. */
  onRefused?(answer: Refusal): void
  readonly signal?: AbortSignal | undefined
}

export interface Refusal extends Pick<HttpAnswer, 'status' | 'headers'> {
  readonly text: string
}

export interface Prompt {
  readonly model: string
  readonly messages: readonly MessageLike[]
  readonly tools: readonly ToolSpec[]
}

export interface WantedReply extends Prompt {
  readonly settings: ModelSettings
  /** Asked for only by wires that send it. */
  window(): Promise<number | undefined>
}

export interface WrittenRequest {
  readonly path: string
  /** Sent as it is if it is a text or bytes, else as JSON. */
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Reads a streamed reply, line by line or event by event. */
export interface ReplyReader {
  /** Throws for an error and for fields of another type. */
  read(event: Fields): readonly ModelPart[]
  state(): ReplyPhase
  /** What can be told only at the end. Throws if that came too early. */
  end(): readonly ModelPart[]
}

/**
 * `waiting`: what was read is not handed on before the next piece is read. The stream was only announced, so that the request
 * may still be refused; or a call is told whole before it can be checked. `ending`: what follows only closes the stream.
 * `over`: nothing that follows counts.
 */
export type ReplyPhase = 'waiting' | 'open' | 'ending' | 'over'

export interface ListedModel {
  readonly name: string
  readonly window?: number
  /** From where the window is known, in words that follow it. */
  readonly windowFrom?: string
}

/** The models of a server's list; `field` has their names. */
export const toListed = (
  list: readonly Fields[],
  field: string,
  windowOf: (model: Fields) => WindowFact,
): readonly ListedModel[] =>
  list.flatMap(model => {
    const name = model[field]
    return typeof name === 'string' ? [{ name, ...shownFact(windowOf(model)) }] : []
  })

export const shownFact = ({ tokens, from }: WindowFact) =>
  tokens === undefined ? {} : { window: tokens, windowFrom: from }
