/**
 * Turn number `index` of a long chat: about 1 kB, a question and a longer answer, the same on every machine. The words
 * are made up, but there are as many different ones as in real talk and they are as unevenly common (Zipf's law): an
 * index of words would look too small with a few dozen.
 */
export function turnAt(index) {
  const random = xorshift(index + 1)
  return { user: textOf(random, 250), reply: textOf(random, 750) }
}

export const bytesOf = ({ user, reply }) => Buffer.byteLength(user) + Buffer.byteLength(reply)

const vocabulary = createVocabulary(6000)

function textOf(random, length) {
  let text = ''
  while (text.length < length) {
    const words = Array.from({ length: 5 + Math.floor(random() * 12) }, () => pickWord(random))
    const sentence = words.join(' ')
    text += `${text ? ' ' : ''}${sentence[0].toUpperCase()}${sentence.slice(1)}.`
  }
  return text
}

/** The logarithm of the rank is spread evenly: the n-th word is n times rarer than the first. */
const pickWord = random => vocabulary[Math.floor(vocabulary.length ** random()) - 1]

/** The more common, the shorter, as in every language; from the first to the last they are all different. */
function createVocabulary(size) {
  const random = xorshift(size)
  const pick = letters => letters[Math.floor(random() * letters.length)]
  const words = new Set()
  while (words.size < size) {
    const syllables = 1 + Math.floor(Math.log10(1 + words.size / 10) + random() * 1.5)
    let word = ''
    for (let n = 0; n < syllables; n++)
      word += pick('bcdfghklmnprstvw') + pick('aeiou') + pick('nrst ').trim()
    words.add(word)
  }
  return [...words]
}

/** A small generator with a seed: Math.random would make every run another run. */
function xorshift(seed) {
  let state = Math.imul(seed, 0x9e3779b1) | 1
  const next = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  // The first numbers of neighbouring seeds resemble each other.
  for (let n = 0; n < 8; n++) next()
  return next
}
