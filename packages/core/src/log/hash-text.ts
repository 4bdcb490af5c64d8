/** FNV-1a over code units, 32 bits. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

/** A short hash of a text, for comparing, not for secrets. Stored: texts that were hashed by another function differ. */
export function hashText(text: string): string {
  let one = 0x811c9dc5
  let other = 0x9747b28c
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    one = Math.imul(one ^ unit, 0x01000193)
    other = Math.imul(other ^ unit, 0x5bd1e995) + at
  }
  const mixed = one ^ (other >>> 15) ^ Math.imul(other, 0x85ebca6b)
  return ((mixed ^ (mixed >>> 16)) >>> 0).toString(36)
}
