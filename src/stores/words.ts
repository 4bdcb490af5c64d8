/**
 * The words of a text, for search: lower case, without accents. Scripts that put no space between words give every
 * pair of neighbours, so that a part of a sentence is found too.
 */
export function words(text: string): string[] {
  const found: string[] = []
  const plain = text
    .normalize('NFKD')
    .replace(/\p{Mn}+/gu, '')
    .normalize('NFC')
    .toLowerCase()
  for (const [run] of plain.matchAll(/[\p{L}\p{N}]+/gu)) {
    for (const part of run.split(dense)) {
      if (part === '') continue
      if (isDense.test(part)) found.push(...pairs([...part]))
      else if (part.length <= maxLength) found.push(part)
    }
  }
  return found
}

/** Longer runs are hashes, keys, pieces of files. */
const maxLength = 64
const dense =
  /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]+)/u
const isDense = new RegExp(`^${dense.source}$`, 'u')

const pairs = (characters: string[]) =>
  characters.length === 1 ? characters : characters.slice(1).map((next, n) => `${characters[n]}${next}`)
