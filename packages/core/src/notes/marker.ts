/** Signs of Markdown: models set a block, or its first words, in bold, in italics or as code. */
const signs = '[*_`]{0,3}'
/** Mostly one blank. */
const between = '[\\s_\\-\\u2010-\\u2015]{0,2}'

/** Or a dash behind a blank: `[NOTE TO SELF - …]`. */
const colon = '(?:[:：]|(?<=\\s)[-\\u2010-\\u2015])'

/** Square brackets, also those of Chinese and Japanese: each closes what its partner opened. */
const pairs: Readonly<Record<string, string>> = {
  '[': ']',
  '［': '］',
  '【': '】',
  '〔': '〕',
  '⟦': '⟧',
}
export const closingOf = (opening: string): string => pairs[opening]!
const bracket = () => `[\\${Object.keys(pairs).join('')}]`

/** `[NOTE TO`, and ` SELF:` with any nonce, step by step. */
const start = () => [bracket(), '\\s?', `(${signs})`, ...'note', 's?', between, ...'to']
const owner = () => [between, 'm?', 'y?', 'o?', 'u?', 'r?', ...'self']
const steps = () => [...start(), ...owner(), '(?:\\s([a-z0-9]{0,32}))?', signs, '\\s?', colon]

/** The marker as models write it: any case or bracket, `NOTES`, `MYSELF`, dashes or nothing between words. Groups: bold, nonce. */
export const createMarker = (): RegExp => new RegExp(steps().join(''), 'gi')

const reach = 64

/** Each step may be the last: `\[(?:\s?(?:…)?)?`. */
const createBeginning = () =>
  new RegExp(`^${steps().reduceRight((rest, step) => `${step}(?:${rest})?`)}$`, 'i')
// Marked as pure, so that a bundle of `fit`, which looks for no marker, leaves it out.
const beginning = /* @__PURE__ */ createBeginning()

/** Where a marker begins that the end of a text may still become, not before `from`; the text's length if there is none. */
export function findBeginning(text: string, from: number): number {
  const near = Math.max(from, text.length - reach)
  let at = text.length - 1
  while (at >= near && !(text[at]! in pairs)) at -= 1
  return at >= near && beginning.test(text.slice(at)) ? at : text.length
}

/** Where the bold type of a marker at `place` begins: up to three signs behind white space, or at `from` if it `isFree`. */
export function findBold(text: string, place: number, from: number, isFree: boolean): number {
  let at = place
  while (at > Math.max(from, place - 3) && isSign(text[at - 1])) at -= 1
  return (at > from ? text[at - 1]!.trim() === '' : isFree) ? at : place
}

export const isSign = (letter: string | undefined): boolean =>
  letter !== undefined && '*_`'.includes(letter)

const createUnmistakable = () => new RegExp(`^\\s*${signs}${start().join('')}`, 'i')
const unmistakable = /* @__PURE__ */ createUnmistakable()

/** Whether a marker that broke off is long enough (`[NOTE TO`) to be taken for a note. */
export const isUnmistakable = (text: string): boolean => unmistakable.test(text)
