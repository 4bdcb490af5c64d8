import { payloadTexts } from '../payload-texts.ts'
import { words } from '../words.ts'

/** A book in one entry must not fill the index: what comes after this many different words is not searched. */
const maxWords = 20_000

/**
 * What an entry can be found by: a number of 32 bits for each of its words, mixed with the tenant, so that the index
 * itself keeps tenants apart. Two words may share a number: who searches looks at the text again.
 */
export function wordHashes(tenant: string, payload: string): number[] | null {
  const hashes = new Set<number>()
  for (const text of payloadTexts(payload)) {
    for (const word of words(text)) {
      if (hashes.size < maxWords) hashes.add(hashWord(tenant, word))
    }
  }
  return hashes.size > 0 ? [...hashes] : null
}

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
