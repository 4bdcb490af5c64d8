import { isFields } from '../../log/fields.ts'

/** The log probability of a token, and those of the tokens that might have stood in its place. */
export interface Logprob {
  readonly token: string
  readonly logprob: number
  readonly bytes: number[]
}

/** Log probabilities with all the fields that OpenAI's types demand; Ollama leaves some out. */
export function toLogprobs(logprobs: readonly unknown[]): (Logprob & { top_logprobs: Logprob[] })[] {
  return logprobs.filter(isFields).map(({ top_logprobs: top, ...one }) => ({
    ...toLogprob(one),
    top_logprobs: Array.isArray(top) ? top.filter(isFields).map(toLogprob) : [],
  }))
}

const toLogprob = ({ token, logprob, bytes }: Readonly<Record<string, unknown>>): Logprob => ({
  token: String(token ?? ''),
  logprob: Number(logprob),
  bytes: Array.isArray(bytes) ? bytes : Array.from(new TextEncoder().encode(String(token ?? ''))),
})
