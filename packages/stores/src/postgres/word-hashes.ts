import { payloadTexts, words } from '../words.ts'

/** Further different words of an entry are not indexed: a book in one entry must not fill the index. */
const maxWords = 20_000

/**
 * The numbers that an entry is found by: 32 bits for each word, mixed with the tenant, so that the index keeps tenants
 * apart; null without words. Two words may share a number, so search looks at the text again. An entry that cannot be
 * indexed (`failed`) is stored all the same: the log comes first, and check() finds it.
 */
export function wordHashes(
  tenant: string,
  payload: string,
  failed: number[] | null = null,
): number[] | null {
  try {
    const hashes = new Set<number>()
    for (const word of words(payloadTexts(payload))) {
      if (hashes.size < maxWords && !isCommon(word)) hashes.add(hashWord(tenant, word))
    }
    return hashes.size > 0 ? [...hashes] : null
  } catch {
    return failed
  }
}

/** Whether a word is too common to be indexed: these words are half of an English text. */
export const isCommon = (word: string): boolean => common.has(word)

/** Words may be added. A removed word would not be found in entries stored before. */
const common = new Set(
  `a about after all also am an and any are as at be because been before being both but by can could did do does down
  each even first for from get go got had has have he her here him his how i if in into is it its just know let like ll
  made make many may me might more most much must my need new no not now of off on one only or other our out over own
  re s same see she should so some such t than that the their them then there these they thing this those through time
  to too two under up us use used using ve very want was way we well were what when where which while who why will with
  would yes you your`.split(/\s+/),
)

/** FNV-1a over code units, as a signed integer. Stored: another function needs a migration. */
export function hashWord(tenant: string, word: string): number {
  let hash = 0x811c9dc5
  for (const text of [tenant, '\0', word]) {
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      hash = Math.imul(hash ^ (unit & 0xff), 0x01000193)
      hash = Math.imul(hash ^ (unit >> 8), 0x01000193)
    }
  }
  return hash | 0
}
