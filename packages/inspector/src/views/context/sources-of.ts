/** A message of a context: the entries that it is or stands for, and what it says. */
export interface SaidText {
  readonly seqs: readonly number[]
  readonly text: string
}

/** Words of at least three letters, numbers, and each character of scripts without blanks. */
const word = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|\p{N}+|[\p{L}\p{M}\p{N}]{3,}/gu

/** Forms of a word mostly differ at its end. */
const stemOf = (text: string) => (text.length > 6 ? text.slice(0, text.length - 2) : text)

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set((text.slice(0, 20_000).toLowerCase().match(word) ?? []).map(stemOf))

/** A message has a sentence if it has this share of what its words weigh. */
const leastShare = 0.3

/** The most messages that are named for a sentence. */
const mostSources = 5

/** The messages that hold the words of a sentence, the best first: rare words count more. Empty if none has enough. */
export function sourcesOf(sentence: string, texts: readonly SaidText[]): readonly SaidText[] {
  const wanted = wordsOf(sentence)
  const heldWords = texts.map(({ text }) => {
    const words = wordsOf(text)
    return [...wanted].filter(one => words.has(one))
  })
  const counts = new Map<string, number>()
  for (const words of heldWords)
    for (const one of words) counts.set(one, (counts.get(one) ?? 0) + 1)
  const weigh = (words: Iterable<string>) => {
    let sum = 0
    for (const one of words) sum += Math.log(1 + texts.length / (counts.get(one) ?? 0.5))
    return sum
  }
  const whole = weigh(wanted)
  const scored = texts.map((one, at) => ({
    one,
    score: weigh(heldWords[at]!),
    amount: heldWords[at]!.length,
  }))
  const best = scored.reduce((most, { score }) => Math.max(most, score), 0)
  const isEnough = ({ score, amount }: (typeof scored)[number]) =>
    score >= leastShare * whole &&
    score >= best / 2 &&
    amount >= Math.max(1, Math.min(2, wanted.size))
  return scored
    .filter(isEnough)
    .sort((a, b) => b.score - a.score)
    .slice(0, mostSources)
    .map(({ one }) => one)
}

/** The sentences of an answer with the blanks behind them, so that they make up the whole text again. */
export const sentencesOf = (text: string): readonly string[] =>
  Array.from(
    new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(text),
    one => one.segment,
  )
