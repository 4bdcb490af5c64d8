import { type Fields, isFields } from '@throughline/core/fields'

/** Log probabilities with all the fields that OpenAI's types demand; Ollama leaves some out. */
export const toLogprobs = (logprobs: readonly unknown[]) =>
  logprobs.filter(isFields).map(({ top_logprobs: top, ...one }) => ({
    ...toLogprob(one),
    top_logprobs: Array.isArray(top) ? top.filter(isFields).map(toLogprob) : [],
  }))

const toLogprob = ({ token, logprob, bytes }: Fields) => ({
  token: String(token ?? ''),
  logprob: Number(logprob),
  bytes: Array.isArray(bytes)
    ? (bytes as number[])
    : Array.from(new TextEncoder().encode(String(token ?? ''))),
})
