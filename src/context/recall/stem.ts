const endings: readonly (readonly [ending: string, instead: string])[] = [
  ['sses', 'ss'],
  ['ies', 'y'],
  ['ied', 'y'],
  ['edly', ''],
  ['ings', ''],
  ['ing', ''],
  ['ed', ''],
  ['es', ''],
  ['ly', ''],
  ['s', ''],
]

/** In any alphabet, letters after the seventh are mostly an ending: "deployment" and "deploying" become equal. */
const longest = 7

/**
 * The common part of a word's forms: English plural, -ed, -ing and -ly are removed. A light stem finds nearly as much as
 * a full stemmer, without its tables.
 */
export function stem(word: string): string {
  const root = word.length > 3 && isAscii.test(word) ? withoutEnding(word) : word
  return root.length > longest && !hasDigit.test(root) ? root.slice(0, longest) : root
}

function withoutEnding(word: string): string {
  let root = word
  const found = endings.find(([ending]) => word.endsWith(ending))
  if (found) {
    const [ending, instead] = found
    const rest = word.slice(0, -ending.length)
    const isWord = rest.length >= (instead ? 2 : 3) && hasVowel.test(rest + instead)
    // "bus" and "boss" are no plurals.
    if (isWord && !(ending === 's' && /[su]$/.test(rest))) {
      root = rest + instead
      if (isDoubling.test(ending) && isDoubled.test(root)) root = root.slice(0, -1)
    }
  }
  if (root.length > 3 && root.endsWith('e')) root = root.slice(0, -1)
  return root.length > 2 && root.endsWith('y') ? `${root.slice(0, -1)}i` : root
}

const isAscii = /^[a-z]+$/
const hasDigit = /\p{N}/u
const hasVowel = /[aeiouy]/
/** "planned" and "running" double the letter of "plan" and "run". */
const isDoubling = /^(?:ings?|ed|edly)$/
const isDoubled = /([bdfgmnprt])\1$/
