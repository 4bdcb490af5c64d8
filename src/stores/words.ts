/**
 * The different words of texts, for search: lower case, without accents. In scripts without spaces between words every
 * pair of neighbouring characters is a word, so that a part of a sentence is found too. Every regex here matches one
 * character at a time: matching a run of megabytes would overflow the stack.
 */
export function words(texts: readonly string[]): Set<string> {
  const found = new Set<string>()
  for (const text of texts) {
    const plain = text.normalize('NFKD').replace(marks, '').normalize('NFC').toLowerCase()
    for (const run of plain.split(separator)) {
      if (dense.test(run)) addDense(run, found)
      else addPart(run, found)
    }
  }
  return found
}

const marks = /\p{Mn}/gu
const separator = /[^\p{L}\p{N}]/u
const dense =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u

/** Longer words are left out: they are hashes, keys, pieces of files. */
const maxLength = 64

function addPart(part: string, found: Set<string>): void {
  if (part !== '' && part.length <= maxLength) found.add(part)
}

/** Adds the pairs of each stretch in such a script (or its only character), and the words between the stretches. */
function addDense(run: string, found: Set<string>): void {
  let [part, last, isPair] = ['', '', false]
  for (const character of run) {
    if (dense.test(character)) {
      addPart(part, found)
      part = ''
      if (last !== '') found.add(last + character)
      isPair = last !== ''
      last = character
    } else {
      if (!isPair && last !== '') found.add(last)
      last = ''
      part += character
    }
  }
  addPart(part, found)
  if (!isPair && last !== '') found.add(last)
}
