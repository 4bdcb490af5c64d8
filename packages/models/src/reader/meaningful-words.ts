/** The stems of the words of a text that carry meaning. */
export function meaningfulWords(text: string): readonly string[] {
  return rawWords(text)
    .filter(word => !stopWords.has(word))
    .map(word => stem(pasts.get(word) ?? word))
}

/** `paid` is found by `pay`. */
const pasts: ReadonlyMap<string, string> = new Map(
  `paid pay bought buy sold sell met meet kept keep left leave wrote write gave give took take chose choose began begin
  broke break drove drive flew fly held hold lost lose ran run sent send spent spend won win hung hang built build
  brought bring caught catch grew grow rode ride slept sleep spoke speak stood stand taught teach wore wear`
    .split(/\s+/)
    .flatMap((word, at, all) => (at % 2 === 0 ? [[word, all[at + 1]!]] : []))
    .map(([past, now]) => [past!, now!]),
)

/** `parked` and `parking` become `park`, `colour` becomes `color`. Simple, because both sides get the same stem. */
export function stem(word: string): string {
  if (/\p{N}/u.test(word) || word.length < 4) return word
  let root = word.replace(/our/, 'or')
  root = root.replace(/ies$|ied$/, 'y').replace(/(?<=[a-z]{3})(?:ing|ed|es|(?<![su])s|ly)$/, '')
  root = root.replace(/([bdfgmnprt])\1$/, '$1').replace(/(?<=[a-z]{2})[ey]$/, '')
  return root.slice(0, longestStem)
}

/** Longer stems are cut, because the rest is mostly an ending: `hypothesis` and `hypotheses` become equal. */
const longestStem = 7

/** Words in lower case, without `'s`. Scripts without blanks between words are cut into pairs of characters. */
export function rawWords(text: string): readonly string[] {
  const runs = text.normalize('NFKC').toLowerCase().replaceAll('’', "'").match(wordRun) ?? []
  return runs.flatMap(run =>
    unspaced.test(run) ? pairs(run) : [run.replace(/^'+|'(?:s|re|m|ve|ll|d|t)?$/g, '')],
  )
}

const wordRun =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{M}\p{N}'])+/gu
const unspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u

function pairs(run: string): readonly string[] {
  const letters = [...run]
  return letters.length < 2
    ? letters
    : letters.slice(1).map((letter, index) => letters[index]! + letter)
}

const stopWords: ReadonlySet<string> = new Set(
  `a about above after again all also always am an and another any are aren as at be because been before being but by
  can cannot could couldn did didn do does doesn doing don done down each ever every few for from get gets give go goes
  going gonna got had has hasn have haven he hello her here hers hey hi him his how i if in into is isn it its just know
  let like ll maybe me mine more most much my need never no not now of off ok okay on once one only or other our ours
  out over own please quite re really same say says said she should so some something such sure t tell told than thank
  thanks that the their theirs them then there these they thing things think this those through to too under until up
  us very want was wasn we well were weren what when where which while who whom whose why will with without won would
  wouldn yes you your yours exactly again currently today anything mention mentioned`.split(/\s+/),
)

export const isStopWord = (word: string): boolean => stopWords.has(word)

/** Words that an answer need not share: `The boat's name is Heron.` answers `What is my boat called?` */
const weakWords: ReadonlySet<string> = new Set(
  `name named call called number kind sort type use used using make made last first new old current remember recall remind
  show list find answer ask asked question word long time old much many far big look live stay keep cost`
    .split(/\s+/)
    .map(stem),
)

export const isWeak = (word: string): boolean => weakWords.has(word)
