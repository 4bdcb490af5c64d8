/** Whether a line may stand for what a client left out: brackets around what was there, or that it is gone: `[image]`. */
export function isBracket(line: string): boolean {
  const text = line.trim()
  return text.length <= longestMark && closing[text[0]!] === text.at(-1) && names.test(text)
}

const closing: Readonly<Record<string, string>> = { '[': ']', '(': ')', '<': '>' }

/** A longer text is no mark. */
const longestMark = 300

const gone =
  /clear|remov|omit|truncat|prun|compact|elid|trimm|strip|dropp|clipp|collaps|discard|no longer|left out|hidden|\.\.\.|…/i
const names = new RegExp(
  `image|picture|photo|screenshot|file|document|pdf|audio|video|attach|media|${gone.source}`,
  'i',
)

export const withoutBrackets = (text: string): string =>
  text
    .split('\n')
    .filter(line => !isBracket(line))
    .join('\n')

/** Whether a text is what a client kept of a longer one: nothing, a mark in its place, or its ends with a mark between. */
export function isClipped(kept: string, whole: string): boolean {
  // A list or a tag stands in brackets too.
  if (kept === '' || (isBracket(kept) && gone.test(kept) && !/^[[<(]\s*["{[]/.test(kept))) return true
  if (kept.length >= whole.length) return false
  if (kept.length <= shortMark && gone.test(kept) && /result|output|content|response/i.test(kept)) return true
  if (whole.length < leastClipped) return false
  const head = commonLength(kept, whole, at => at)
  const left = kept.slice(head)
  const tail = commonLength(left, whole.slice(head), (at, { length }) => length - 1 - at)
  const mark = left.slice(0, left.length - tail)
  if (head + tail < leastKept) return false
  return mark === '' ? tail === 0 : mark.length <= longestMark && gone.test(mark)
}

/** Without brackets only a short text is a mark. */
const shortMark = 120
/** No known client clips results under 200 characters. */
const leastClipped = 200
const leastKept = 20

/** How many characters are the same. `at`: the place of the n-th one. */
function commonLength(one: string, other: string, at: (n: number, text: string) => number): number {
  const most = Math.min(one.length, other.length)
  let count = 0
  while (count < most && one.charCodeAt(at(count, one)) === other.charCodeAt(at(count, other))) count += 1
  return count
}
