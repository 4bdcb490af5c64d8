/** The products of a vector with each of the vectors that stand in a row. Integers: the same on every engine. */
export function dots(vector: Int8Array, row: Int8Array): Int32Array {
  const { length } = vector
  const products = new Int32Array(row.length / length)
  for (let at = 0; at < products.length; at++)
    products[at] = dot(vector, row.subarray(at * length, (at + 1) * length))
  return products
}

/** Four sums side by side take half of the time of one. All are integers, at most 127² · 8192, exact on every engine. */
export function dot(a: Int8Array, b: Int8Array): number {
  let [first, second, third, fourth] = [0, 0, 0, 0]
  const whole = a.length & ~3
  for (let at = 0; at < whole; at += 4) {
    first = (first + Math.imul(a[at]!, b[at]!)) | 0
    second = (second + Math.imul(a[at + 1]!, b[at + 1]!)) | 0
    third = (third + Math.imul(a[at + 2]!, b[at + 2]!)) | 0
    fourth = (fourth + Math.imul(a[at + 3]!, b[at + 3]!)) | 0
  }
  for (let at = whole; at < a.length; at++) first += a[at]! * b[at]!
  return first + second + third + fourth
}
