import { crc32 } from 'node:zlib'

type CheckedValue = string | number | Uint8Array | null

/** Notices flipped bits, not forgery. No text has the NUL that joins values. Stored: another function needs a migration. */
export function checksum(values: readonly CheckedValue[], bytes?: Uint8Array): number {
  const sum = crc32(values.map(toText).join('\0'))
  // zlib resets the sum when it gets no bytes.
  return bytes?.length ? crc32(bytes, sum) : sum
}

function toText(value: CheckedValue): string | number {
  if (value === null) return '\0n'
  return typeof value === 'object' ? Buffer.from(value).toString('latin1') : value
}
