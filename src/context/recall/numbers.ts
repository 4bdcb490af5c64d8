type Buffer = Int32Array | Float64Array

/** A growing list of numbers in a typed array: the index of a long history has thousands of them. */
export interface Numbers {
  readonly data: Buffer
  readonly size: number
  push(value: number): void
}

export function createNumbers(Type: Int32ArrayConstructor | Float64ArrayConstructor = Int32Array): Numbers {
  let data: Buffer = new Type(4)
  let size = 0
  return {
    get data() {
      return data
    },
    get size() {
      return size
    },
    push(value) {
      if (size === data.length) {
        const larger = new Type(size * 2)
        larger.set(data)
        data = larger
      }
      data[size++] = value
    },
  }
}

/** How many numbers of an ascending list are below a bound. */
export function countBelow({ data, size }: Numbers, bound: number): number {
  if (size === 0 || data[size - 1]! < bound) return size
  let low = 0
  let high = size
  while (low < high) {
    const middle = (low + high) >> 1
    if (data[middle]! < bound) low = middle + 1
    else high = middle
  }
  return low
}
