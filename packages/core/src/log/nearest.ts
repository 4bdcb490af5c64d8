/** The name that an unknown one was probably meant to be; undefined if none is near. */
export function nearest(unknown: string, names: readonly string[]): string | undefined {
  // A longer one is no misspelling.
  if (unknown.length > 60) return undefined
  let best: { readonly name: string; readonly distance: number } | undefined
  for (const name of names) {
    const distance = editsBetween(unknown.toLowerCase(), name.toLowerCase())
    if (distance < (best?.distance ?? Math.max(3, Math.ceil(name.length / 3))))
      best = { name, distance }
  }
  return best?.name
}

/** How many letters must be changed, added or removed. Both are short. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let at = 0; at < one.length; at++) {
    const next = [at + 1]
    for (let to = 0; to < other.length; to++)
      next.push(
        Math.min(row[to]! + (one[at] === other[to] ? 0 : 1), row[to + 1]! + 1, next[to]! + 1),
      )
    row = next
  }
  return row.at(-1)!
}
