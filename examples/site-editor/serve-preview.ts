/**
 * Serves the site that is being edited, on a port of its own. Its pages may have any script, written by a model: they run
 * in a sandbox that has no origin, so they reach neither the chat nor anything that the browser keeps.
 */
import { type Listening, listen, send, typeOf } from './http.ts'
import type { SiteFolder } from './site-folder.ts'
import { SiteError } from './site-path.ts'

export interface PreviewOptions {
  readonly port: number
  /** The addresses of the page that may frame the preview. Called for each request: the page starts later. */
  readonly framedBy: () => readonly string[]
}

export function servePreview(
  site: SiteFolder,
  { port, framedBy }: PreviewOptions,
): Promise<Listening> {
  return listen(async (request, response, path) => {
    const own = `http://${request.headers.host}`
    const headers = {
      'content-security-policy': policyFor(own, framedBy()),
      'cross-origin-resource-policy': 'cross-origin',
    }
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return send(response, 405, 'Only GET and HEAD.', headers)
    try {
      const name = decodeURIComponent(path.slice(1))
      const file = name === '' || name.endsWith('/') ? `${name}index.html` : name
      send(response, 200, await site.read(file), { ...headers, 'content-type': typeOf(file) })
    } catch (error) {
      if (error instanceof URIError) return send(response, 400, 'This is no address.', headers)
      if (!(error instanceof SiteError)) throw error
      send(response, error.code === 'no_file' ? 404 : 403, error.message, headers)
    }
  }, port)
}

/** Scripts and styles of the site itself, and nothing that leaves it: no requests, no forms, no other hosts. */
const policyFor = (own: string, framedBy: readonly string[]) =>
  [
    'sandbox allow-scripts',
    `default-src ${own} data: 'unsafe-inline'`,
    "connect-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${framedBy.join(' ')}`,
  ].join('; ')
