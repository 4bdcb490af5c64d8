type Buffer = Int32Array | Float64Array

/** A long list of numbers that grows, in a typed array. */
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

/** How many of an ascending list are below a bound. */
export function countBelow(list: readonly number[], bound: number): number {
  let low = 0
  let high = list.length
  if (high === 0 || list[high - 1]! < bound) return high
  while (low < high) {
    const middle = (low + high) >> 1
    if (list[middle]! < bound) low = middle + 1
    else high = middle
  }
  return low
}
