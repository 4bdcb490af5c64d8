/**
 * Message number `index` of a chat between colleagues: about 80 o200k tokens of English, the same on every machine,
 * different from every other index.
 */
export function textAt(index) {
  const random = mulberry32(index + 1)
  const pick = words => words[Math.floor(random() * words.length)]
  const sentences = [`About ticket ${1000 + index}:`]
  for (let count = 0; count < 4; count++) sentences.push(pick(patterns)(pick, random))
  return sentences.join(' ')
}

const patterns = [
  pick =>
    `${pick(people)} ${pick(did)} the ${pick(kinds)} ${pick(things)} ${pick(when)}, ${pick(because)}.`,
  (pick, random) =>
    `The ${pick(kinds)} ${pick(things)} took ${2 + Math.floor(random() * 900)} ms ${pick(when)}, ${pick(because)}.`,
  pick =>
    `Could you ask ${pick(people)} whether the ${pick(things)} in ${pick(places)} is still ${pick(kinds)}?`,
  pick => `I would rather keep the ${pick(things)} in ${pick(places)} as it is, ${pick(because)}.`,
  (pick, random) =>
    `We have ${2 + Math.floor(random() * 60)} customers in ${pick(places)} who need a ${pick(kinds)} ${pick(things)}.`,
  pick => `If ${pick(people)} agrees, the ${pick(things)} moves to ${pick(places)} ${pick(when)}.`,
]

const people = [
  'Ada',
  'Grace',
  'Linus',
  'Mira',
  'Tomas',
  'Yuki',
  'Priya',
  'Oskar',
  'Lena',
  'Samuel',
  'Nadia',
]
const places = [
  'Lisbon',
  'the warehouse',
  'Oslo',
  'the second region',
  'Turin',
  'the test lab',
  'Nairobi',
]
const kinds = [
  'broken',
  'smaller',
  'nightly',
  'shared',
  'encrypted',
  'temporary',
  'older',
  'careful',
  'blue',
]
const things = [
  'import',
  'invoice run',
  'cache',
  'price list',
  'backup',
  'label printer',
  'search index',
  'form',
]
const did = [
  'rewrote',
  'switched off',
  'measured',
  'documented',
  'restarted',
  'reviewed',
  'forgot about',
]
const when = [
  'last Tuesday',
  'before lunch',
  'during the demo',
  'at the end of the month',
  'twice this week',
]
const because = [
  'because nobody had told us about the new supplier',
  'which is more than the contract allows',
  'so that the night shift can go on without us',
  'although the numbers from spring looked much better',
  'and the customer noticed it before we did',
  'because the old one loses a row every few thousand',
]

/** A small generator with a seed: Math.random would make every run another run. */
export function mulberry32(seed) {
  let state = Math.imul(seed, 0x9e3779b1)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
