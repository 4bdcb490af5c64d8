/** Names the calls of a `useChat` message: where a model server repeats an id, from the second one on with a number. */
export function createCallNames(): (id: string) => string {
  const counts = new Map<string, number>()
  return id => {
    const count = (counts.get(id) ?? 0) + 1
    counts.set(id, count)
    return count === 1 ? id : `${id}.${count}`
  }
}
