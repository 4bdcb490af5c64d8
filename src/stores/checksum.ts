import { crc32 } from 'node:zlib'

type Value = string | number | null

/**
 * A number of 32 bits that another content nearly never has: flipped bits are noticed, forgery is not. No text has a NUL,
 * so the same characters in other parts give another number. Stored: another function needs a migration.
 */
export function checksum(values: readonly Value[], bytes?: Uint8Array): number {
  const sum = crc32(values.map(value => (value === null ? '\0n' : value)).join('\0'))
  // Without bytes zlib may begin anew.
  return bytes?.length ? crc32(bytes, sum) : sum
}
