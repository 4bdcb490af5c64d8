import type { Model, ModelRequest } from '../../models/model.ts'

/** The server or the built-in model that answers. It comes from the configuration, never from a request. */
export interface Upstream {
  readonly kind: 'ollama' | 'openai' | 'reader'
  /** The address without credentials, for messages; undefined for the reader inside this process. */
  readonly address?: string
  /** A model of this upstream, for one request. `hear` is called with what the wire says beside the parts. */
  model(name: string, hear?: Hear): Model
  /** The exact tokens of a prompt. Undefined, or absent, where the upstream does not count or refuses this prompt. */
  count?(
    name: string,
    request: Pick<ModelRequest, 'messages' | 'tools' | 'signal'>,
  ): Promise<number | undefined>
  /** Sends a request on as it is, and gives the answer back byte for byte. */
  pass(request: PassedRequest): Promise<PassedAnswer>
  /** The models that the upstream has, as its own list names them; with the window where the upstream tells it. */
  models(signal?: AbortSignal): Promise<readonly UpstreamModel[]>
  close(): Promise<void>
}

export type Hear = (facts: WireFacts) => void

export interface UpstreamModel {
  readonly name: string
  readonly window?: number
}

/** What an answer carries beside its text, thinking and calls. */
export interface WireFacts {
  /** Log probabilities of the tokens that came with the next text delta. */
  readonly logprobs?: readonly unknown[]
  /** Of the last line: durations, `done_reason`, the name of the model that answered. */
  readonly details?: Readonly<Record<string, unknown>>
  /** From a refusal: the exact count of the prompt, and the window that it did not fit. */
  readonly tokens?: { readonly prompt: number; readonly window: number }
}

export interface PassedRequest {
  readonly method: string
  /** The path with its query, as the upstream knows it: `/api/tags`. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: AsyncIterable<Uint8Array> | Uint8Array
  readonly signal?: AbortSignal
}

export interface PassedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: AsyncIterable<Uint8Array>
}
