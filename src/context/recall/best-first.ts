/** Yields the places of scores by falling score, ties by place. A heap: of thousands only a handful is taken. */
export function* bestFirst(scores: Float64Array): Generator<number> {
  const heap = new Int32Array(scores.length)
  for (let at = heap.length - 1; at >= 0; at--) sink(heap, heap.length, at, at, scores)
  for (let size = heap.length - 1; size >= 0; size--) {
    const best = heap[0]!
    sink(heap, size, 0, heap[size]!, scores)
    yield best
  }
}

/** Puts a place into a heap of a size: where another was, or below it. */
function sink(heap: Int32Array, size: number, top: number, place: number, scores: Float64Array): void {
  const lead = (a: number, b: number) => scores[a]! - scores[b]! || b - a
  let at = top
  for (;;) {
    let child = 2 * at + 1
    if (child >= size) break
    if (child + 1 < size && lead(heap[child + 1]!, heap[child]!) > 0) child += 1
    if (lead(heap[child]!, place) < 0) break
    heap[at] = heap[child]!
    at = child
  }
  heap[at] = place
}
