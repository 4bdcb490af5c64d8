/** What a chat template writes around the texts, in tokens. */
export interface Framing {
  /** Becomes part of the counter's id: another framing needs another name. */
  readonly name: string
  /** Around one message: its role and the marks of its beginning and end. */
  readonly message: number
  /** Around the name and the arguments of one tool call. */
  readonly call: number
  /** Around one tool result, besides `message`. */
  readonly result: number
  /** Around the JSON of one tool. */
  readonly tool: number
  /** The instructions that come once when there are tools. */
  readonly tools: number
  /** Once in every prompt: its beginning, what the template says by itself, and the opening of the reply. */
  readonly prompt: number
}

/** For a model that nobody knows: as much as the largest family needs, but for what Harmony says by itself. */
export const genericFraming: Framing = {
  name: 'generic',
  message: 6,
  call: 28,
  result: 22,
  tool: 8,
  tools: 80,
  prompt: 32,
}

/** Nothing: for plain texts and for tests. */
export const noFraming: Framing = {
  name: 'none',
  message: 0,
  call: 0,
  result: 0,
  tool: 0,
  tools: 0,
  prompt: 0,
}
