import { ThroughlineError } from '../../log/error.ts'

/** Changes with the layout, the units or the terms: a checkpoint of another version is not used. */
const version = 1

export function seal(body: Uint8Array): Uint8Array {
  const sealed = new Uint8Array(8 + body.length)
  const view = new DataView(sealed.buffer)
  view.setUint32(0, version)
  view.setUint32(4, checksum(body))
  sealed.set(body, 8)
  return sealed
}

/** Returns the sealed bytes; throws when they have changed. */
export function unseal(sealed: Uint8Array): Uint8Array {
  if (sealed.length < 8) throw unusable('it ends too early')
  const view = new DataView(sealed.buffer, sealed.byteOffset, sealed.byteLength)
  if (view.getUint32(0) !== version) throw unusable('it was written by another version')
  const body = sealed.subarray(8)
  if (checksum(body) !== view.getUint32(4)) throw unusable('its bytes were changed')
  return body
}

export const unusable = (why: string) =>
  new ThroughlineError(
    'invalid_checkpoint',
    `The checkpoint cannot be used: ${why}. It is made again from the log.`,
  )

/** FNV-1a, 32 bits: notices damage, not forgery. */
function checksum(bytes: Uint8Array): number {
  let hash = 0x811c9dc5
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}
