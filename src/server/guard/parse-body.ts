import { BadRequestError } from '../bad-request-error.ts'

export interface JsonLimits {
  /** How deep lists and objects may stand in each other. */
  readonly maxDepth: number
  /** The most values, lists and objects together. A body of `{},{},{}…` takes fifty times its size in memory. */
  readonly maxValues: number
}

/** Parses a body after a look at its form, so that a hostile one costs no more than its bytes. */
export function parseBody(bytes: Buffer, limits: JsonLimits): unknown {
  checkForm(bytes, limits)
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new BadRequestError('The body is no JSON.')
  }
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Counts brackets and commas outside of texts, byte by byte: no call inside a call, however deep the body is. */
function checkForm(bytes: Buffer, { maxDepth, maxValues }: JsonLimits): void {
  let depth = 0
  let values = 1
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) {
      at = endOfText(bytes, at)
    } else if (byte === openList || byte === openObject) {
      depth += 1
      values += 1
      if (depth > maxDepth)
        throw new BadRequestError(`The body is nested more than ${maxDepth} levels deep: see "maxDepth".`)
    } else if (byte === closeList || byte === closeObject) depth -= 1
    else if (byte === comma) values += 1
    if (values > maxValues)
      throw new BadRequestError(`The body holds more than ${maxValues} values: see "maxMessages".`)
  }
}

/** The place of the quote that ends the text that begins here. */
function endOfText(bytes: Buffer, start: number): number {
  for (let at = start; ; ) {
    at = bytes.indexOf(quote, at + 1)
    if (at < 0) return bytes.length
    let escapes = 0
    while (bytes[at - 1 - escapes] === backslash) escapes += 1
    if (escapes % 2 === 0) return at
  }
}
