import { ModelError } from './model.ts'

/** The answer to a question; undefined if the server refuses it or does not know it. Throws if it may answer later. */
export async function ifKnown<Answer>(question: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await question()
  } catch (error) {
    const isRefusal = error instanceof ModelError && !error.isRetryable
    if (isRefusal || error instanceof SyntaxError) return undefined
    throw error
  }
}
