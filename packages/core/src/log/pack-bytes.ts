/** Writes small numbers, texts and bytes one after the other. */
export function createWriter() {
  let data = new Uint8Array(1024)
  let size = 0
  const room = (more: number) => {
    if (size + more <= data.length) return
    const larger = new Uint8Array(Math.max(data.length * 2, size + more))
    larger.set(data)
    data = larger
  }
  const number = (value: number) => {
    room(8)
    let rest = value
    // Seven bits a byte: most numbers are small.
    for (; rest >= 128; rest = Math.floor(rest / 128)) data[size++] = (rest % 128) | 128
    data[size++] = rest
  }
  const bytes = (value: Uint8Array) => {
    room(value.length)
    data.set(value, size)
    size += value.length
  }
  const align = () => {
    room(3)
    while (size % 4 > 0) data[size++] = 0
  }
  return {
    number,
    bytes,
    /** Fills up to a place where four bytes can be read at once. */
    align,
    /** A column: how many numbers, how many bytes each takes, then all of them, aligned. */
    numbers(values: readonly number[]) {
      const most = values.reduce((most, value) => Math.max(most, value), 0)
      const width = ([1, 2, 4] as const).find(width => most < 256 ** width)
      if (!width) throw new RangeError(`${most} does not fit into a column`)
      number(values.length)
      number(width)
      align()
      bytes(new Uint8Array(columns[width].from(values).buffer))
    },
    text(value: string) {
      const encoded = new TextEncoder().encode(value)
      number(encoded.length)
      bytes(encoded)
    },
    /** A number of any size that may be missing. */
    optional(value: number | undefined) {
      number(value === undefined ? 0 : 1)
      if (value === undefined) return
      room(8)
      new DataView(data.buffer).setFloat64(size, value)
      size += 8
    },
    done: () => data.slice(0, size),
  }
}

/** Reads what a writer wrote, in the same order; `invalid` makes the error for bytes that are cut off or foreign. */
export function createReader(packed: Uint8Array, invalid: Invalid) {
  const data = byteOf4(packed)
  let place = 0
  const take = (length: number) => {
    place += length
    if (!(place <= data.length)) throw invalid('it ends too early')
    return place - length
  }
  const number = () => {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = data[take(1)]!
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
  }
  const align = () => take(-place & 3)
  const bytes = (length: number) => {
    const start = take(length)
    return data.subarray(start, start + length)
  }
  return {
    number,
    bytes,
    align,
    rest: () => bytes(data.length - place),
    /** A column, where it stands: a hundred thousand entries have a million numbers. */
    numbers(): Column {
      const size = number()
      const width = number()
      if (width !== 1 && width !== 2 && width !== 4) throw invalid('a column has no width')
      align()
      return new columns[width](
        data.buffer as ArrayBuffer,
        data.byteOffset + take(size * width),
        size,
      )
    },
    text: () => decoder.decode(bytes(number())),
    optional: () =>
      number() === 0 ? undefined : new DataView(data.buffer, data.byteOffset).getFloat64(take(8)),
  }
}

/** Numbers as they stand among the packed bytes: only to be read. */
export type Column = Uint8Array | Uint16Array | Uint32Array

/** Running sums: differences and lengths take fewer bytes than places. */
export function sumsOf(column: Column): Uint32Array {
  const sums = new Uint32Array(column.length)
  let sum = 0
  for (let at = 0; at < column.length; at++) {
    sum += column[at]!
    sums[at] = sum
  }
  return sums
}

/** By the bytes of a number. A machine that counts bytes from the other end finds another checksum, and reads none. */
const columns = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array } as const

const decoder = new TextDecoder()

type Invalid = (why: string) => Error

export function seal(version: number, body: Uint8Array): Uint8Array {
  const sealed = new Uint8Array(8 + body.length)
  const view = new DataView(sealed.buffer)
  sealed.set(body, 8)
  view.setUint32(0, version)
  view.setUint32(4, checksum(sealed))
  return sealed
}

export const isSealedAs = (version: number, sealed: Uint8Array): boolean =>
  sealed.length >= 8 && new DataView(sealed.buffer, sealed.byteOffset).getUint32(0) === version

/** Returns the sealed bytes; throws when they have changed. */
export function unseal(version: number, sealed: Uint8Array, invalid: Invalid): Uint8Array {
  if (sealed.length < 8) throw invalid('it ends too early')
  if (!isSealedAs(version, sealed)) throw invalid('it was written by another version')
  if (checksum(sealed) !== new DataView(sealed.buffer, sealed.byteOffset).getUint32(4))
    throw invalid('its bytes were changed')
  return sealed.subarray(8)
}

/** FNV-1a of what follows the seal, four bytes at a time: notices damage, not forgery. Big-endian machines get another sum. */
function checksum(sealed: Uint8Array): number {
  const { buffer, byteOffset, length } = byteOf4(sealed)
  const words = new Int32Array(buffer, byteOffset + 8, (length - 8) >> 2)
  return hash(Int32Array.from(sealed.subarray(length & ~3)), hash(words, 0x811c9dc5)) >>> 0
}

/** Of one kind of list only: it is compiled once, and early. */
function hash(numbers: Int32Array, basis: number): number {
  let hash = basis
  for (let at = 0; at < numbers.length; at++) hash = Math.imul(hash ^ numbers[at]!, 0x01000193)
  return hash
}

/** The same bytes, where four of them can be read at once. */
const byteOf4 = (bytes: Uint8Array) => (bytes.byteOffset % 4 === 0 ? bytes : bytes.slice())
