import { termsOf } from '../recall/terms.ts'

/** A stretch of a text: from one UTF-16 unit up to another. */
export type TextPlace = readonly [from: number, to: number]

/** Where words with one of some terms stand in a text, at most `most`. In scripts without spaces these are characters and pairs of them. */
export function termPlaces(
  text: string,
  isAsked: (term: string) => boolean,
  most = 200,
): readonly TextPlace[] {
  const places: [number, number][] = []
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    if (places.length >= most) break
    const terms = termsOf(word)
    if (!terms.some(isAsked)) continue
    // A word of one term is marked whole; of several, the characters and pairs that were asked for.
    if (terms.length === 1) places.push([index, index + word.length])
    else for (const place of characterPlaces(word, isAsked)) places.push([index + place[0], index + place[1]])
  }
  return joined(places)
}

function* characterPlaces(word: string, isAsked: (term: string) => boolean): Generator<[number, number]> {
  let before = ''
  let at = 0
  for (const character of word) {
    const end = at + character.length
    const [, , pair] = termsOf(before + character)
    if (pair !== undefined && isAsked(pair)) yield [at - before.length, end]
    else if (termsOf(character).some(isAsked)) yield [at, end]
    before = character
    at = end
  }
}

function joined(places: readonly [number, number][]): readonly TextPlace[] {
  const stretches: [number, number][] = []
  for (const [from, to] of places) {
    const last = stretches.at(-1)
    if (last && last[1] >= from) last[1] = Math.max(last[1], to)
    else stretches.push([from, to])
  }
  return stretches
}
