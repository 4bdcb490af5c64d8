import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { unpackedBody } from '../routes/read-body.ts'
import { textOfFile } from '../text-of-file.ts'

/**
 * Keeps a body, unpacked, in a file of its own while it is used, as text that can be read again and again. A body with more bytes than
 * it may have is refused.
 */
export async function withSpooled<T>(
  request: Request,
  most: number,
  use: (text: () => AsyncIterable<string>) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'throughline-import-'))
  try {
    const file = join(folder, 'body')
    await pipeline(unpackedBody(request, most), createWriteStream(file, { flags: 'wx', mode: 0o600 }))
    return await use(textOfFile(file))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
