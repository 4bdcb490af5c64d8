import type { Remembered } from '../../context/receipt.ts'
import { groupBy } from '../../log/group-by.ts'

/** A piece of a text: literal words, the place of an entry whose whole text stands there, or quotes of other conversations. */
export type TextPart = string | number | Remembered

/** Shorter texts are written out. Texts are looked up by their first `shortest` characters. */
const shortest = 16

export type KnownTexts = ReturnType<typeof toKnownTexts>

type KnownText = readonly [part: Exclude<TextPart, string>, text: string]

/** The texts of entries by their first characters, and every character that one of them begins with: elsewhere nothing is looked up. */
export function toKnownTexts(texts: readonly KnownText[]) {
  const long = texts.filter(([, text]) => text.length >= shortest)
  const byBeginning = groupBy(long, ([, text]) => text.slice(0, shortest))
  // Longest first, so that of two texts that begin alike the longer one is found.
  for (const same of byBeginning.values()) same.sort(([, one], [, other]) => other.length - one.length)
  return { byBeginning, firsts: new Set(Array.from(byBeginning.keys(), beginning => beginning[0]!)) }
}

/** Splits a text where it quotes entries word for word, as recalled blocks and replies with a note do. */
export function splitText(text: string, { byBeginning, firsts }: KnownTexts): readonly TextPart[] {
  const parts: TextPart[] = []
  let from = 0
  for (let at = 0; firsts.size > 0 && at + shortest <= text.length; ) {
    const same = firsts.has(text[at]!) ? byBeginning.get(text.slice(at, at + shortest)) : undefined
    const match = same?.find(([, entry]) => text.startsWith(entry, at))
    if (!match) {
      at += 1
      continue
    }
    if (at > from) parts.push(text.slice(from, at))
    parts.push(match[0])
    at += match[1].length
    from = at
  }
  if (from < text.length) parts.push(text.slice(from))
  return parts
}
