/** The tokens that a chat template adds to texts. */
export interface Framing {
  /** Part of the counter's id, unless it is `none`: another framing needs another name. */
  readonly name: string
  /** Around one message: its role and the marks of its beginning and end. */
  readonly message: number
  /** Around the name and the arguments of one tool call. */
  readonly call: number
  /** Around one tool result, besides `message`. */
  readonly result: number
  /** Around the JSON of one tool. */
  readonly tool: number
  /** The instructions about tools, once per prompt that has tools. */
  readonly tools: number
  /** Once in every prompt: its beginning, the template's own text, and the opening of the reply. */
  readonly prompt: number
}

/** For unknown models: as much as the largest family needs, except for Harmony's own system text. */
export const genericFraming: Framing = {
  name: 'generic',
  message: 6,
  call: 28,
  result: 22,
  tool: 8,
  tools: 80,
  prompt: 32,
}

/** No framing: for plain texts and for tests. */
export const noFraming = {
  name: 'none',
  message: 0,
  call: 0,
  result: 0,
  tool: 0,
  tools: 0,
  prompt: 0,
}
