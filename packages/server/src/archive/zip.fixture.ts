import { crc32, deflateRawSync } from 'node:zlib'

interface ZipFileOptions {
  readonly isStored?: boolean
  /** With sizes of 64 bits, as archives above 4 GB have them. */
  readonly isWide?: boolean
}

/** A ZIP archive of some texts. */
export function zipOf(
  files: Readonly<Record<string, string>>,
  { isStored = false, isWide = false }: ZipFileOptions = {},
): Buffer {
  const locals: Buffer[] = []
  const list: Buffer[] = []
  let offset = 0
  for (const [name, text] of Object.entries(files)) {
    const bytes = Buffer.from(text)
    const packed = isStored ? bytes : deflateRawSync(bytes)
    const both = Buffer.alloc(26)
    both.writeUInt16LE(20, 0)
    both.writeUInt16LE(0x0800, 2)
    both.writeUInt16LE(isStored ? 0 : 8, 4)
    both.writeUInt32LE(crc32(bytes), 10)
    both.writeUInt32LE(packed.length, 14)
    both.writeUInt32LE(bytes.length, 18)
    both.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), both, Buffer.from(name), packed])
    const extra = Buffer.alloc(isWide ? 28 : 0)
    if (isWide) {
      extra.writeUInt16LE(1, 0)
      extra.writeUInt16LE(24, 2)
      extra.writeBigUInt64LE(BigInt(bytes.length), 4)
      extra.writeBigUInt64LE(BigInt(packed.length), 12)
      extra.writeBigUInt64LE(BigInt(offset), 20)
      both.writeUInt32LE(0xffffffff, 14)
      both.writeUInt32LE(0xffffffff, 18)
    }
    both.writeUInt16LE(extra.length, 24)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(isWide ? 0xffffffff : offset, 10)
    list.push(
      Buffer.concat([
        Buffer.from('PK\u0001\u0002'),
        Buffer.from([20, 0]),
        both,
        rest,
        Buffer.from(name),
        extra,
      ]),
    )
    locals.push(local)
    offset += local.length
  }
  const entries = Buffer.concat(list)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(list.length, 4)
  end.writeUInt16LE(list.length, 6)
  end.writeUInt32LE(isWide ? 0xffffffff : entries.length, 8)
  end.writeUInt32LE(isWide ? 0xffffffff : offset, 12)
  return Buffer.concat([
    ...[...locals, entries],
    ...(isWide ? wideEnd(list.length, entries.length, offset) : []),
    ...[Buffer.from('PK\u0005\u0006'), end],
  ])
}

function wideEnd(count: number, length: number, offset: number): readonly Buffer[] {
  const wide = Buffer.alloc(56)
  wide.write('PK\u0006\u0006', 'latin1')
  wide.writeBigUInt64LE(44n, 4)
  wide.writeBigUInt64LE(BigInt(count), 24)
  wide.writeBigUInt64LE(BigInt(count), 32)
  wide.writeBigUInt64LE(BigInt(length), 40)
  wide.writeBigUInt64LE(BigInt(offset), 48)
  const locator = Buffer.alloc(20)
  locator.write('PK\u0006\u0007', 'latin1')
  locator.writeBigUInt64LE(BigInt(offset + length), 8)
  return [wide, locator]
}
