/**
 * Yields entries by falling score, ties by place. A heap: a block takes a handful of thousands of candidates, and
 * sorting all of them would cost more than everything else.
 */
export function* bestFirst(entries: Int32Array, scores: Float64Array): Generator<number> {
  const heap = entries
  let size = heap.length
  const isBefore = (a: number, b: number) => scores[a]! > scores[b]! || (scores[a]! === scores[b]! && a < b)
  const sink = (start: number) => {
    const entry = heap[start]!
    let at = start
    for (;;) {
      let child = 2 * at + 1
      if (child >= size) break
      if (child + 1 < size && isBefore(heap[child + 1]!, heap[child]!)) child += 1
      if (!isBefore(heap[child]!, entry)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = entry
  }
  for (let at = (size >> 1) - 1; at >= 0; at--) sink(at)
  while (size > 0) {
    const best = heap[0]!
    size -= 1
    heap[0] = heap[size]!
    if (size > 0) sink(0)
    yield best
  }
}
