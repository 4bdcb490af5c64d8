export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** Three digits: figures from a shared machine are not more precise. */
export function round(value) {
  return Number(value.toPrecision(3))
}
