import { createCounter, type TokenCounter } from './create-counter.ts'
import { noFraming } from './framing.ts'

/** Counts a word as a token, without framing: for tests. Matches first letters only: a very long word would fill the stack. */
export function words(): TokenCounter {
  const countWords = (text: string) => text.match(/(?<!\S)\S/g)?.length ?? 0
  return createCounter({ id: 'words', exact: true, text: countWords, framing: noFraming })
}
