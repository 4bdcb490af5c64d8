/** Splits at line breaks, and at marks before white space (`3.14` stays whole), but not after a letter or a title: `Dr. Smith`. */
export function splitSentences(text: string): readonly string[] {
  return text
    .replace(/[。！？]+/g, '$&\n')
    .split(/\n+/)
    .flatMap(splitLine)
    .map(sentence => sentence.replace(leadingMarks, '').trim())
    .filter(sentence => /[\p{L}\p{N}]/u.test(sentence))
}

/** Goes word by word: a regex over the line would take minutes for a page of exclamation marks. */
function splitLine(line: string): readonly string[] {
  const sentences: string[] = []
  let from = 0
  for (const { 0: word, index } of line.matchAll(/\S+/g)) {
    const end = word.slice(-longestEnd)
    const isNumbering = index === from && /^\d{1,4}\.$/.test(end)
    if (!ending.test(end) || abbreviation.test(end) || isNumbering) continue
    sentences.push(line.slice(from, index + word.length))
    from = index + word.length + 1
  }
  return [...sentences, line.slice(from)]
}

/** Abbreviations and rows of marks are shorter than this. */
const longestEnd = 12
const ending = /[.!?…]["'”’)\]]*$/
const abbreviation = /(?:^|[^\p{L}\p{N}])(?:\p{L}|[DMSJ]r|Mrs|Ms|St|vs|etc|No)\.$/u

/** A bullet, a number, a heading, a quotation mark of Markdown, the arrow of a note. */
const leadingMarks = /^(?:(?:[-*+•#>→]+|\d{1,4}\.)\s+)+/

const closing = `["'”’)\\]]*\\s*$`
const withMark = new RegExp(`[?？]${closing}`)
const politeness = String.raw`^\W*(?:(?:and|so|but|then|now|well|hey|hi|hello|ok|okay|please|sorry)\W+)*`
const auxiliary =
  'am|is|are|was|were|do|does|did|can|could|will|would|shall|should|have|has|had|may|might|must'
const someone =
  'i|you|we|they|he|she|it|there|this|that|these|those|the|my|your|our|his|her|its|their|any'
const interrogative = new RegExp(
  `${politeness}(?:what(?:['’]?s\\b|(?!\\s+(?:an?|i|we|you)\\b)\\b)|(?:who|whose|whom|which|where|when|why|how)(?:['’]s\\b|\\s+(?:${auxiliary}|many|much|old|long|far|often|big)\\b)|(?:${auxiliary})\\s+(?:${someone})\\b)`,
  'i',
)
const request = new RegExp(
  `${politeness}(?:(?:tell|remind|show|give)\\s+(?:me|us)|recall|repeat|quote|list|find|look\\s+up|summari[sz]e|describe|explain)\\b`,
  'i',
)

/** Whether a sentence asks for an answer: `Tell me …` does, `When I was young …` does not. */
export const isQuestion = (sentence: string): boolean =>
  withMark.test(sentence) || interrogative.test(sentence) || request.test(sentence)

const bare = new RegExp(`${politeness}(?:what|who|whose|whom|which|where|when|why|how)`, 'i')

export const isBareQuestion = (sentence: string): boolean => bare.test(sentence)
