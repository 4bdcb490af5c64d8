import { ModelError } from './model.ts'

/** The answer to a question; undefined if the server refuses it or does not know it. Throws if it may answer later. */
export async function ifKnown<Answer>(question: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await question()
  } catch (error) {
    if (error instanceof ModelError && !error.isRetryable) return undefined
    throw error
  }
}
