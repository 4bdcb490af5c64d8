import { fold } from '../../log/fold.ts'
import type { RankedIndex } from './recall-index.ts'
import { steeringWords, talkPhrases, talkWords, vagueWords } from './talk-words.ts'
import { askingWords, stem, termsOf, withoutLabel, wordsOf } from './terms.ts'

/** Whether a text asks, at least in passing: it has a question mark, or begins like a question. */
export const isQuestion = (text: string): boolean => /[?？؟]/.test(text) || isPlain(text)

/** Whether a text begins like a question, in one of eight languages: not everyone types the mark. */
export const isPlain = (text: string): boolean => asks.test(fold(text.slice(0, 200)))

/** English, German, Spanish and Arabic put the word that asks first, or after a preposition. */
const prepositions = 'a|als|an|con|de|en|in|mit|por|von|على|في|من|الى'
const first = `${askingWords.replaceAll(' ', '|')}|list|recall|remind|summari[sz]e|tell me|whose|hat|hast|ist|sag mir|\
wann|warum|we[mnr]|wei(?:ß|ss)t|welche[mnrs]?|wie|wieso|wo(?:fur|gegen|her|hin|mit|ran|von|zu)?|\
como|cual|cuando|cuant[ao]s?|dime|donde|que|quien|اخبرني|اي|اين|كم|كيف|لماذا|ما|ماذا|متى|من|هل`

/** Chinese, Japanese, Korean and Hindi leave it where the answer will stand: it is looked for in the first sentence. */
const anywhere = `什[么麼]|[谁誰哪吗嗎何怎]|多少|几[点号岁]|告[诉訴]我|ど[このれんう]|いつ|なぜ|いく[つら]|教えて|\
언제|어[디느떤떻]|누[구가]|무[엇슨]|뭐|왜|얼마|알려|[か까](?!\\p{L})|क(?:्य|ब|हा[ँं]|ौन|ि[सत]|ैस)(?!ी)|बता`

const asks = new RegExp(
  `^(?:[^\\p{L}]*(?:(?:${prepositions}) )?(?:${first})(?!\\p{L})|[^.!。！\\n]{0,80}?(?:${anywhere}))`,
  'u',
)

/** A user message, and the unit at which the exchange before it begins. */
interface Following {
  readonly index: RankedIndex
  readonly text: string
  readonly exchange: number
  /** Whether words of the same meaning are found too: then any word but those of talk may name something old. */
  readonly byMeaning?: boolean
  /** Whether it begins a conversation: then there is nothing that it could follow up, however often its words were said elsewhere. */
  readonly isFirst?: boolean
}

/** Among fewer entries no word is common. */
const fewEntries = 8

/** Whether a message only follows up ("Go on."): no word names anything old. Words of talk and common uncapitalised ones do not. */
export function isFollowUp(following: Following): boolean {
  const { index, text, exchange, byMeaning = false, isFirst = false } = following
  const common = isFirst ? exchange : Math.max(exchange, fewEntries) / 2
  const words = withoutLabel(text)
  if (possessive.test(fold(words))) return false
  const namesOld = (word: string) => {
    const isCapital = /^\p{Lu}/u.test(word)
    return termsOf(word).some(term => {
      if (byMeaning) return true
      const frequency = index.frequency(index.vocabulary.get(term) ?? -1, exchange)
      return frequency > 0 && (isCapital || frequency <= common)
    })
  }
  const asked = wordsOf(words.replace(talkPhrases, ' '))
  const isTelling = (word: string, at: number) =>
    !isTalk(word) || tellsWhich(asked, at, index, exchange)
  return !asked.some((word, at) => isTelling(word, at) && namesOld(word))
}

/** Whether a small number says which one of some things is meant, and the things were spoken of before entry `n`: "Task 2". */
export function tellsWhich(
  words: readonly string[],
  at: number,
  index: RankedIndex,
  n: number,
): boolean {
  const thing = words[at - 1]
  if (thing === undefined || !smallNumber.test(fold(words[at]!)) || isTalk(thing)) return false
  return termsOf(thing).some(term => index.frequency(index.vocabulary.get(term) ?? -1, n) > 0)
}

/** "What is on my list?" asks for something of the speaker's, whatever the other words are. */
export const possessive =
  /(?<!\p{L})(?:my|mine|ours?|mein(?:e[mnrs]?)?|unser(?:e[mnrs]?)?|mis?|nuestr[ao]s?|مي)(?!\p{L})|我的|我们的|私の|僕の|俺の|내\s|제\s|우리|मेर[ािी]|हमार[ािी]/u

/** Whether a word names nothing by itself: people steer a talk with it, or it is a small number. */
export const isTalk = (word: string): boolean => isTalkAsIs(word) || talkWords.has(stem(fold(word)))

/** Whether a word may be a name. It may have the stem of another word ("Sam", "same"). Where letters have no capitals, any word may be one. */
export const isName = (word: string): boolean => /^[\p{Lu}\p{Lo}]/u.test(word) && !isTalkAsIs(word)

function isTalkAsIs(word: string): boolean {
  const small = fold(word)
  return smallNumber.test(small) || steeringWords.has(small) || vagueWords.has(small)
}

const smallNumber = /^\p{N}{1,3}$/u
