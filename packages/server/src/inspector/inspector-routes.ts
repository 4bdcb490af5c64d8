import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Hono } from 'hono'
import type { ServerEnv } from '../auth/caller.ts'

export const inspectorPath = '/inspector'

/**
 * The built inspector: its files, and its page for every address below it. They hold no conversations, so no key is needed;
 * the page asks for one when the API does. `folder` is read once, at the first request.
 */
export function inspectorRoutes(folder: string): Hono<ServerEnv> {
  let read: { readonly files: ReturnType<typeof readFiles> } | undefined
  const app = new Hono<ServerEnv>()
  // For a person who opens the server's address in a browser. Other clients are answered by the model server.
  app.get('/', async (context, next) =>
    context.req.header('accept')?.includes('text/html') ? context.redirect(inspectorPath) : next(),
  )
  app.on(['GET', 'HEAD'], [inspectorPath, `${inspectorPath}/*`], ({ req: { path, raw } }) => {
    read ??= { files: readFiles(folder) }
    const { files } = read
    if (!files) return new Response(`${notBuilt}\n`, { status: 503, headers: textHeaders })
    const name = path.slice(inspectorPath.length + 1)
    if (name === 'frame') return new Response(emptyFrame, { headers: frameHeaders })
    const file = files.get(name)
    if (file) return answer(raw, file)
    // A file of an older build is gone; in its place the page would be read as a script.
    if (name.startsWith('assets/'))
      return new Response('No such file.\n', { status: 404, headers: textHeaders })
    return answer(raw, files.get('index.html')!)
  })
  return app
}

/** What a developer is told who runs the server from its source. */
export const notBuilt = 'The inspector is not built: run "npm run build".'

function answer({ headers: incoming, method }: Request, file: PageFile): Response {
  const headers: Record<string, string> = {
    ...pageHeaders,
    'content-type': file.type,
    'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: file.etag,
    vary: 'accept-encoding',
  }
  if (incoming.get('if-none-match')?.includes(file.etag))
    return new Response(null, { status: 304, headers })
  const isPacked =
    file.packed !== undefined && /\bgzip\b/.test(incoming.get('accept-encoding') ?? '')
  const bytes = isPacked ? file.packed! : file.bytes
  if (isPacked) headers['content-encoding'] = 'gzip'
  headers['content-length'] = String(bytes.byteLength)
  return new Response(method === 'HEAD' ? null : bytes, { headers })
}

/** The page connects to this server only, cannot be framed by other pages, and sends no referrer. */
const pageHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "frame-src 'self'",
    "font-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
}

/** An empty page, into which the page writes what somebody else wrote: it may have styles, and nothing that runs or asks. */
const emptyFrame = '<!doctype html><title>Preview</title>'

const frameHeaders = {
  ...pageHeaders,
  'content-security-policy': [
    'sandbox allow-same-origin',
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; '),
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
}

const textHeaders = {
  ...pageHeaders,
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-cache',
}

type PageFile = ReturnType<typeof toFile>

/** The files by their paths below the folder: what is not in here cannot be asked for. Undefined if it is not built. */
function readFiles(folder: string): ReadonlyMap<string, PageFile> | undefined {
  if (!existsSync(join(folder, 'index.html'))) return undefined
  const files = new Map<string, PageFile>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const type = types[extname(entry.name)]
    if (!entry.isFile() || type === undefined) continue
    files.set(path.slice(folder.length + 1).replaceAll(sep, '/'), toFile(path, type))
  }
  return files
}

/** Only these are served: what describes the build is not. */
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

function toFile(path: string, type: string) {
  const bytes = new Uint8Array(readFileSync(path))
  const packed = new Uint8Array(gzipSync(bytes))
  return {
    type,
    bytes,
    /** By gzip; absent where that makes nothing smaller. */
    packed: packed.byteLength < bytes.byteLength ? packed : undefined,
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    /** Whether its name changes with what is in it. */
    isHashed: path.includes(`${sep}assets${sep}`),
  }
}
