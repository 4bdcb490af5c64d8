import type { RankedIndex } from './recall-index.ts'
import { talkPhrases, talkWords } from './talk-words.ts'
import { fold, stem, termsOf, withoutLabel, wordsOf } from './terms.ts'

/** A user message, and the unit at which the exchange before it begins. */
interface Following {
  readonly index: RankedIndex
  readonly text: string
  readonly exchange: number
  /** Whether words of the same meaning are found too: then any word but those of talk may name something old. */
  readonly byMeaning?: boolean
}

/**
 * Whether a message only follows up on what was just said ("Is that right?", "Go on."): it names nothing that was said
 * before that. Words with which people steer a talk name nothing, nor do words that half of all messages have,
 * unless they are written like names.
 */
export function isFollowUp({ index, text, exchange, byMeaning = false }: Following): boolean {
  const words = withoutLabel(text)
  if (possessive.test(fold(words))) return false
  const namesOld = (word: string) => {
    const isName = /^\p{Lu}/u.test(word)
    return termsOf(word).some(term => {
      if (byMeaning) return true
      const frequency = index.frequency(index.vocabulary.get(term) ?? -1, exchange)
      return frequency > 0 && (isName || 2 * frequency <= exchange)
    })
  }
  return !wordsOf(words.replace(talkPhrases, ' ')).some(word => !isTalk(word) && namesOld(word))
}

/** "What is on my list?" asks for something of the speaker's, whatever the other words are. */
const possessive =
  /(?<!\p{L})(?:my|mine|ours?|mein(?:e[mnrs]?)?|unser(?:e[mnrs]?)?|mis?|nuestr[ao]s?|مي)(?!\p{L})|我的|我们的|私の|僕の|俺の|내\s|제\s|우리|मेर[ािी]|हमार[ािी]/u

const isTalk = (word: string): boolean => {
  const small = fold(word)
  return talkWords.has(small) || talkWords.has(stem(small))
}
