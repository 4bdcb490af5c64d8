/**
 * Remembers the counts of long texts: a client sends the same tools and the same system prompt with every request. The texts that
 * were used last stay.
 */
export function rememberLong(count: (text: string) => number): (text: string) => number {
  const known = new Map<string, number>()
  let size = 0
  return text => {
    if (text.length < fewest || text.length > longest) return count(text)
    const tokens = known.get(text) ?? count(text)
    // Setting it again makes it the newest.
    if (!known.delete(text)) size += text.length
    known.set(text, tokens)
    for (const oldest of known.keys()) {
      if (size <= most) break
      known.delete(oldest)
      size -= oldest.length
    }
    return tokens
  }
}

/** In characters. Shorter texts are counted faster than they are found. */
const fewest = 500
const longest = 512 * 1024
const most = 4 * longest
