/** A shorter key may be a word that models say, such as "ollama". */
const shortest = 12

/**
 * Hides the operator's key in what a server answers, which goes to clients: a star for each of its bytes, so that lengths stay.
 * A piece that may end with the beginning of the key is held back up to there.
 */
export async function* maskKey(bytes: AsyncIterable<Uint8Array>, key: string): AsyncGenerator<Uint8Array> {
  const secret = Buffer.from(key)
  let held = Buffer.alloc(0)
  for await (const piece of bytes) {
    const all = Buffer.concat([held, piece])
    if (secret.length >= shortest)
      for (let at = all.indexOf(secret); at >= 0; at = all.indexOf(secret, at)) {
        all.fill('*', at, at + secret.length)
      }
    const end = all.length - begunAtEnd(all, secret)
    if (end > 0) yield all.subarray(0, end)
    held = all.subarray(end)
  }
  if (held.length > 0) yield held
}

/** How many of the last bytes are the first of the key. */
function begunAtEnd(bytes: Buffer, secret: Buffer): number {
  if (secret.length < shortest) return 0
  let count = Math.min(bytes.length, secret.length - 1)
  while (count > 0 && !bytes.subarray(-count).equals(secret.subarray(0, count))) count -= 1
  return count
}
