/** Writes small numbers, texts and floats one after the other. */
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
  return {
    number,
    text(value: string) {
      const encoded = new TextEncoder().encode(value)
      number(encoded.length)
      room(encoded.length)
      data.set(encoded, size)
      size += encoded.length
    },
    float(value: number) {
      room(8)
      new DataView(data.buffer).setFloat64(size, value)
      size += 8
    },
    done: () => data.slice(0, size),
  }
}

/** Reads what a writer wrote, in the same order; `invalid` makes the error for bytes that are cut off or foreign. */
export function createReader(data: Uint8Array, invalid: (why: string) => Error) {
  let at = 0
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const take = (length: number) => {
    at += length
    if (!(at <= data.length)) throw invalid('it ends too early')
    return at - length
  }
  const number = () => {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = data[take(1)]!
      value += (byte & 127) * factor
      if (byte < 128) return value
      if (factor > 2 ** 42) throw invalid('a number is too large')
    }
  }
  return {
    number,
    text: () => {
      const length = number()
      const start = take(length)
      return new TextDecoder().decode(data.subarray(start, start + length))
    },
    float: () => view.getFloat64(take(8)),
  }
}
