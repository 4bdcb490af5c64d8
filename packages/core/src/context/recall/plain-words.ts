/** Words met lately and what was made of each, in slots. A slot holds one word, which a newer one may replace. */
interface WordCache {
  /** By slot: the letters of the word, five in each number. */
  readonly letters: Int32Array
  readonly made: string[]
}

const slots = 2 ** 15
/** A word stands in one of this many slots in a row. */
const tries = 4
/** Longer ones are not kept. */
const longest = 20

/** By ASCII character: its letter in any case as 1 to 26, its digit as 27 to 36, else 0. */
const letterNumbers = /* @__PURE__ */ Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 48 && code <= 57) return code - 21
  const small = code | 32
  return small >= 97 && small <= 122 && code >= 65 ? small - 96 : 0
})

/**
 * Reads the words of a plain text: runs of letters and digits of ASCII, in small letters. `make` is called for words that were
 * not met lately; what it makes of a word is added to `list`, unless it is empty. Gives false for a text with other letters,
 * and then `list` is of no use. One pass over the characters: a regex with its copies of all words takes three times as long.
 */
export function createPlainWords(make: (word: string) => string) {
  let cache: WordCache | undefined

  return (text: string, list: string[]): boolean => {
    cache ??= { letters: new Int32Array(4 * slots), made: new Array<string>(slots).fill('') }
    let size = 0
    let a = 0
    let b = 0
    let c = 0
    let d = 0
    for (let at = 0; at <= text.length; at++) {
      // Reading behind the end is slow.
      const code = at < text.length ? text.charCodeAt(at) : 0
      const letter = code < 128 ? letterNumbers[code]! : 0
      if (letter > 0) {
        if (size < 5) a = (a << 6) | letter
        else if (size < 10) b = (b << 6) | letter
        else if (size < 15) c = (c << 6) | letter
        else d = (d << 6) | letter
        size += 1
        continue
      }
      if (code > 127 && !isPlainSign(code)) return false
      if (size === 0) continue
      const value = findOrMake(cache, text, at - size, at, a, b, c, d)
      if (value !== '') list.push(value)
      size = a = b = c = d = 0
    }
    return true
  }

  function findOrMake(
    { letters, made }: WordCache,
    text: string,
    from: number,
    to: number,
    a: number,
    b: number,
    c: number,
    d: number,
  ): string {
    if (to - from > longest) return make(text.slice(from, to).toLowerCase())
    const hash = Math.imul(
      a ^ Math.imul(b ^ Math.imul(c ^ Math.imul(d, prime), prime), prime),
      prime,
    )
    const home = (hash >>> 8) & (slots - tries)
    let slot = home
    for (; slot < home + tries; slot++) {
      const at = 4 * slot
      if (letters[at] === 0) break
      if (
        letters[at] === a &&
        letters[at + 1] === b &&
        letters[at + 2] === c &&
        letters[at + 3] === d
      )
        return made[slot]!
    }
    const value = make(text.slice(from, to).toLowerCase())
    // Where all are taken, the letters choose which one goes.
    const free = slot < home + tries ? slot : home + (hash & (tries - 1))
    letters.set([a, b, c, d], 4 * free)
    made[free] = value
    return value
  }
}

const prime = 0x01000193

/** Dashes, quotation marks and the like, which people type in texts that are ASCII otherwise. */
const isPlainSign = (code: number): boolean =>
  (code >= 0x2010 && code <= 0x2027) || (code >= 0x2030 && code <= 0x205e)
