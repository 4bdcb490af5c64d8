/** Runs pieces of work one after the other: what one of them reads, none of the others changes meanwhile. */
export function createQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const next = last.then(work, work)
    last = next.catch(() => undefined)
    return next
  }
}
