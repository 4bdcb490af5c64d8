import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('page', import.meta.url))

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The page runs only its own files, talks only to its own server, and stands in no frame. */
export const securityHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const

export interface PageFile {
  readonly type: string
  readonly content: Buffer
}

/** A file of the page by its address. Only names that stand in the folder are looked up, so no path leads out of it. */
export function pageFile(path: string): PageFile | undefined {
  const name = path === '/' ? 'index.html' : path.slice(1)
  const type = types[extname(name)]
  if (type === undefined || !readdirSync(folder).includes(name)) return undefined
  return { type, content: readFileSync(join(folder, name)) }
}
