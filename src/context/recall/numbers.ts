import { firstPlace } from '../conversation/first-place.ts'

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

/** How many numbers of an ascending list are below a bound. */
export function countBelow(list: readonly number[], bound: number): number {
  const size = list.length
  if (size === 0 || list[size - 1]! < bound) return size
  return firstPlace(size, place => list[place]! >= bound)
}
