import { putNewest } from '../log/put-newest.ts'
/** Remembers the counts of long texts, which clients send again and again. As hashes: a counter outlives deleted conversations. */
export function rememberLong(count: (text: string) => number): (text: string) => number {
  const cache = new Map<string, number>()
  return text => {
    if (text.length < fewest || text.length > longest) return count(text)
    const name = nameOf(text)
    return putNewest(cache, name, cache.get(name) ?? count(text), most)
  }
}

/** In characters. Shorter texts are counted faster than they are found. */
const fewest = 500
const longest = 512 * 1024
/** In texts. */
const most = 1024

/** The length and a hash of 64 bits: two texts that share both are not met by chance. */
function nameOf(text: string): string {
  let [one, other] = [0x811c9dc5, 0x9747b28c]
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    one = Math.imul(one ^ unit, 0x9e3779b1)
    other = Math.imul(other ^ unit, 0x5f356495)
    one ^= other >>> 15
    other ^= one >>> 13
  }
  return `${text.length} ${one} ${other}`
}
