import type { TokenCounter } from './counter.ts'
import { createCounter } from './create-counter.ts'
import { noFraming } from './framing.ts'

/** A word is a token, and nothing is written around a message: for tests, and wherever a person checks by hand. */
export function words(): TokenCounter {
  return createCounter({ id: 'words', exact: true, text: countWords, framing: noFraming })
}

function countWords(text: string): number {
  return text.match(/\S+/g)?.length ?? 0
}
