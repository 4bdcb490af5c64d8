import { dot } from './dot.ts'
import { longest } from './to-vector.ts'
import { chunkSize } from './vector-chunk.ts'

/** The products of a vector with each of the vectors that stand in a row. Integers: the same on every engine. */
export type Dots = (asked: Int8Array, row: Int8Array) => Int32Array

let fastest: Dots | undefined

export const dots: Dots = (asked, row) => {
  fastest ??= createSimdDots() ?? plainDots
  return fastest(asked, row)
}

export const plainDots: Dots = (asked, row) => {
  const { length } = asked
  const found = new Int32Array(row.length / length)
  for (let at = 0; at < found.length; at++)
    found[at] = dot(asked, row.subarray(at * length, (at + 1) * length))
  return found
}

/** The most numbers that are compared at once, one byte each: a piece of the longest vectors. */
const room = chunkSize * longest
const page = 65_536

/**
 * The same in WebAssembly, seven times as fast. Undefined where that is missing, or its instructions for many numbers at once.
 * The vectors are copied into one small memory, which all threads share: one for each thread
 * would reserve gigabytes of addresses and never shrink.
 */
export function createSimdDots(): Dots | undefined {
  try {
    const memory = new WebAssembly.Memory({ initial: room / page + 1 })
    const module = new WebAssembly.Module(Uint8Array.from(program))
    const { exports } = new WebAssembly.Instance(module, { '': { '': memory } })
    const product = exports[''] as (row: number, asked: number, end: number) => number
    const numbers = new Int8Array(memory.buffer, 0, room)
    const wide = new Int16Array(memory.buffer, room)
    return (asked, row) => {
      const { length } = asked
      numbers.set(row)
      wide.set(asked)
      const found = new Int32Array(row.length / length)
      for (let at = 0; at < found.length; at++) found[at] = product(at * length, room, room + 2 * length)
      // Nothing of a conversation stays here. Zeros behind `asked` also make what is read behind a vector count for nothing.
      numbers.fill(0, 0, row.length)
      wide.fill(0, 0, length)
      return found
    }
  } catch {
    return undefined
  }
}

const section = (id: number, ...bytes: readonly number[]) => [id, bytes.length, ...bytes]

/** The parameters of the function, and its sum: four integers side by side. */
const [row, asked, end, sum] = [0, 1, 2, 3]
const [i32, v128] = [0x7f, 0x7b]

const get = (local: number) => [0x20, local]
const set = (local: number) => [0x21, local]
const add = [0x6a]
/** Moves a place in memory on by a number of bytes below 64. */
const move = (local: number, by: number) => [...get(local), 0x41, by, ...add, ...set(local)]
const lane = (n: number) => [...get(sum), 0xfd, 0x1b, n]

/** Adds the products of eight numbers to the sum, which is on the stack. */
const eight = (at: number) => [
  ...[...get(row), 0xfd, 0x01, 0, at], // v128.load8x8_s: eight numbers of a byte, made two bytes wide
  ...[...get(asked), 0xfd, 0x00, 0, 2 * at], // v128.load
  ...[0xfd, 0xba, 0x01], // i32x4.dot_i16x8_s
  ...[0xfd, 0xae, 0x01], // i32x4.add
]

/** What the function does: sixteen numbers at a time, then the four sums become one. */
const code = [
  ...[0x03, 0x40], // loop
  ...[...get(sum), ...eight(0), ...eight(8), ...set(sum)],
  ...[...move(row, 16), ...move(asked, 32)],
  ...[...get(asked), ...get(end), 0x49, 0x0d, 0, 0x0b], // as long as asked < end
  ...[...lane(0), ...lane(1), ...add, ...lane(2), ...add, ...lane(3), ...add, 0x0b],
]
const body = [1, 1, v128, ...code]

/** A module that takes a memory, and gives one function: the product of the vectors at two places. */
const program = [
  ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...section(1, 1, 0x60, 3, i32, i32, i32, 1, i32), // type: three numbers to one
  ...section(2, 1, 0, 0, 2, 0, 1), // import: a memory
  ...section(3, 1, 0), // function: of that type
  ...section(7, 1, 0, 0, 0), // export: the function
  ...section(10, 1, body.length, ...body),
]
