import { isFields } from './fields.ts'

/** Log probabilities with the fields that OpenAI's types demand, and Ollama leaves out where they are empty. */
export function toLogprobs(given: readonly unknown[]): readonly unknown[] {
  return given.map(one => {
    if (!isFields(one)) return one
    const { top_logprobs: top } = one
    return { bytes: null, ...one, top_logprobs: Array.isArray(top) ? toTop(top) : [] }
  })
}

const toTop = (given: readonly unknown[]) => given.map(one => (isFields(one) ? { bytes: null, ...one } : one))
