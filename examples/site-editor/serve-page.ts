/** Serves the page of the editor, and what it needs: a stream of events, messages, a cancel, and the dump for developers. */
import { readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Editor } from './editor.ts'
import { type Listening, listen, send, typeOf } from './http.ts'

export interface PageOptions {
  readonly port: number
  /** The address of the preview. */
  readonly preview: string
}

/** The files of the page, read once. Only these names are answered. */
const folder = new URL('page/', import.meta.url)
const files = new Map(
  readdirSync(folder).map(name => [`/${name}`, readFileSync(new URL(name, folder))]),
)
const addresses: Readonly<Record<string, string>> = { '/': '/index.html', '/dump': '/dump.html' }

const mostLetters = 8000

export function servePage(editor: Editor, { port, preview }: PageOptions): Promise<Listening> {
  const headers = {
    'content-security-policy': policyFor(preview),
    'cross-origin-resource-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
  }
  return listen(async (request, response, path) => {
    const refuse = (status: number, why: string) => send(response, status, why, headers)
    if (request.method === 'GET') {
      if (path === '/api/events') return sendEvents(request, response, editor, preview)
      if (path === '/api/dump') {
        const json = JSON.stringify(await editor.dump())
        return send(response, 200, json, { ...headers, 'content-type': 'application/json' })
      }
      const name = addresses[path] ?? path
      const file = files.get(name)
      if (!file) return refuse(404, 'There is no such page.')
      return send(response, 200, file, { ...headers, 'content-type': typeOf(name) })
    }
    // A foreign page, or the site in the preview, can send a POST here. Its browser says where it came from.
    const isOwn = request.headers.origin === `http://${request.headers.host}`
    if (request.method !== 'POST' || !isOwn)
      return refuse(403, 'Only the page of the editor may do this.')
    if (path === '/api/cancel') {
      editor.cancel()
      return send(response, 202, '')
    }
    if (path !== '/api/messages') return refuse(404, 'There is no such address.')
    const text = await readBody(request, 4 * mostLetters)
    if (text === undefined || text.length > mostLetters)
      return refuse(413, `A message has at most ${mostLetters} characters.`)
    if (text.trim() === '') return refuse(400, 'The message is empty.')
    if (!editor.send(text)) return refuse(409, 'An answer is on its way: wait for it, or stop it.')
    return send(response, 202, '')
  }, port)
}

/** What happens, as server-sent events. A page that does not read them is let go; it comes back by itself. */
async function sendEvents(
  request: IncomingMessage,
  response: ServerResponse,
  editor: Editor,
  preview: string,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  const write = (event: object) => {
    response.write(`data: ${JSON.stringify(event)}\n\n`)
    if (response.writableLength > 4_000_000) response.destroy()
  }
  write({ type: 'preview', url: preview })
  const stop = await editor.listen(write)
  const alive = setInterval(() => response.write(':\n\n'), 15_000)
  const end = () => {
    clearInterval(alive)
    stop()
  }
  if (request.destroyed) end()
  else response.on('close', end)
}

/** The text of a request; undefined if it has more bytes than this. */
async function readBody(request: IncomingMessage, most: number): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > most) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Only our own scripts and styles, no markup from a text, and no frame but the preview. */
const policyFor = (preview: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    `frame-src ${preview}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
