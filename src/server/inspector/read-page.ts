import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import { gzipSync } from 'node:zlib'

export interface PageFile {
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
  /** By gzip; absent where that makes nothing smaller. */
  readonly packed?: Uint8Array<ArrayBuffer>
  readonly etag: string
  /** Whether its name changes with what is in it. */
  readonly isHashed: boolean
}

export interface InspectorPage {
  readonly index: PageFile
  /** By their paths below the folder. What is not in here cannot be asked for. */
  readonly files: ReadonlyMap<string, PageFile>
}

export function readPage(folder: string): InspectorPage | undefined {
  if (!existsSync(join(folder, 'index.html'))) return undefined
  const files = new Map<string, PageFile>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const type = types[extname(entry.name)]
    if (!entry.isFile() || type === undefined) continue
    files.set(path.slice(folder.length + 1).replaceAll(sep, '/'), toFile(path, type))
  }
  return { index: files.get('index.html')!, files }
}

/** Only these are served: what describes the build is not. */
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

function toFile(path: string, type: string): PageFile {
  const bytes = new Uint8Array(readFileSync(path))
  const packed = new Uint8Array(gzipSync(bytes))
  return {
    type,
    bytes,
    ...(packed.byteLength < bytes.byteLength && { packed }),
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    isHashed: path.includes(`${sep}assets${sep}`),
  }
}
