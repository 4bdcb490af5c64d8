import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { InvalidImportError } from '@throughline/history/transfer'

/** A file in a ZIP archive. All numbers come from the archive, and are checked where they are used. */
export interface ZipEntry {
  readonly name: string
  readonly method: number
  readonly isEncrypted: boolean
  readonly crc: number
  readonly packed: number
  readonly size: number
  /** Where its own header begins. */
  readonly offset: number
}

export async function isZip(file: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
  return bytesRead === 4 && buffer.readUInt32LE(0) === localSignature
}

const localSignature = 0x04034b50
const entrySignature = 0x02014b50
const endSignature = 0x06054b50
const wideLocatorSignature = 0x07064b50
const wideEndSignature = 0x06064b50

/** An archive of a million pictures has a list of about 100 MB. */
const mostListBytes = 256 * 1024 ** 2
/** The end of an archive, with the longest comment, and the locator of a wide one before it. */
const endBytes = 22 + 65_535 + 20

/** The files of an archive, as the list at its end has them. */
export async function listEntries(file: FileHandle): Promise<readonly ZipEntry[]> {
  const { size } = await file.stat()
  const from = Math.max(0, size - endBytes)
  const tail = await readAt(file, from, size - from)
  const end = tail.lastIndexOf(Buffer.from('PK\u0005\u0006'))
  if (end < 0 || end + 22 > tail.length || tail.readUInt32LE(end) !== endSignature)
    throw damaged('it has no end')
  let [length, offset] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)]
  const hasLocator = end >= 20 && tail.readUInt32LE(end - 20) === wideLocatorSignature
  if (hasLocator) {
    const wide = await readAt(file, toNumber(tail.readBigUInt64LE(end - 12)), 56)
    if (wide.readUInt32LE(0) !== wideEndSignature)
      throw damaged('its end is not where it should be')
    ;[length, offset] = [toNumber(wide.readBigUInt64LE(40)), toNumber(wide.readBigUInt64LE(48))]
  }
  if (length > mostListBytes) throw damaged('its list of files is too long')
  return readList(await readAt(file, offset, length))
}

function readList(list: Buffer): readonly ZipEntry[] {
  const entries: ZipEntry[] = []
  for (let at = 0; at + 46 <= list.length && list.readUInt32LE(at) === entrySignature; ) {
    const [nameLength, extraLength] = [list.readUInt16LE(at + 28), list.readUInt16LE(at + 30)]
    const nameEnd = at + 46 + nameLength
    const extra = list.subarray(nameEnd, nameEnd + extraLength)
    const [size, packed, offset] = withWide(extra, [
      list.readUInt32LE(at + 24),
      list.readUInt32LE(at + 20),
      list.readUInt32LE(at + 42),
    ])
    entries.push({
      name: list.toString('utf8', at + 46, nameEnd),
      method: list.readUInt16LE(at + 10),
      isEncrypted: (list.readUInt16LE(at + 8) & 1) === 1,
      crc: list.readUInt32LE(at + 16),
      size: size!,
      packed: packed!,
      offset: offset!,
    })
    at = nameEnd + extraLength + list.readUInt16LE(at + 32)
  }
  return entries
}

const isElsewhere = 0xffffffff

/** Numbers of more than 32 bits stand in an extra field, those that are needed, in this order. */
function withWide(extra: Buffer, numbers: readonly number[]): readonly number[] {
  if (!numbers.includes(isElsewhere)) return numbers
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue
    let next = at + 4
    return numbers.map(number => {
      if (number !== isElsewhere) return number
      if (next + 8 > extra.length) throw damaged('a size is missing')
      next += 8
      return toNumber(extra.readBigUInt64LE(next - 8))
    })
  }
  throw damaged('a size is missing')
}

const pieceBytes = 64 * 1024

/** The bytes of a file, unpacked and checked: never more than the archive says. */
export async function* readEntry(file: FileHandle, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  const { name, method, size, crc, isEncrypted } = entry
  const shown = JSON.stringify(name)
  if (isEncrypted) throw damaged(`${shown} is encrypted: unpack it, and import the JSON file`)
  if (method !== 0 && method !== 8)
    throw damaged(`${shown} is packed in a way that is not known (${method})`)
  const packed = Readable.from(packedPieces(file, entry))
  const pieces = method === 0 ? packed : packed.pipe(createInflateRaw())
  packed.on('error', error => pieces.destroy(error))
  let [length, sum] = [0, 0]
  try {
    for await (const piece of pieces as AsyncIterable<Buffer>) {
      length += piece.length
      if (length > size) break
      sum = crc32(piece, sum)
      yield piece
    }
  } catch (error) {
    throw error instanceof InvalidImportError ? error : damaged(`${shown} cannot be unpacked`)
  } finally {
    packed.destroy()
    pieces.destroy()
  }
  if (length !== size || sum !== crc) throw damaged(`${shown} is not what it was`)
}

async function* packedPieces(
  file: FileHandle,
  { offset, packed }: ZipEntry,
): AsyncGenerator<Buffer> {
  const header = await readAt(file, offset, 30)
  if (header.readUInt32LE(0) !== localSignature) throw damaged('a file is not where it should be')
  const from = offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
  for (let at = 0; at < packed; at += pieceBytes)
    yield await readAt(file, from + at, Math.min(pieceBytes, packed - at))
}

async function readAt(file: FileHandle, from: number, length: number): Promise<Buffer> {
  const { size } = await file.stat()
  if (from < 0 || from + length > size) throw damaged('it is cut off')
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from)
  if (bytesRead !== length) throw damaged('it is cut off')
  return buffer
}

function toNumber(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw damaged('a number in it is too large')
  return Number(value)
}

const damaged = (problem: string) =>
  new InvalidImportError({ line: 1 }, `the ZIP archive is damaged: ${problem}.`)
