/**
 * Names the calls of one message of `useChat`, in order. Some model servers give calls of different rounds the same id, and
 * a client would take them for one call: from the second one on they get a number.
 */
export function createCallNames(): (id: string) => string {
  const counts = new Map<string, number>()
  return id => {
    const count = (counts.get(id) ?? 0) + 1
    counts.set(id, count)
    return count === 1 ? id : `${id}.${count}`
  }
}
