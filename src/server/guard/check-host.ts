import { isLoopback } from '../config/check-config.ts'

export interface AllowedNames {
  /** The address that the server listens on. */
  readonly host: string
  readonly hosts: readonly string[]
  readonly origins: readonly string[]
}

/**
 * Why a request is refused for the names in its headers; undefined if it is not. A page of another site can make a browser
 * call this machine, but not with the host and the origin of a page that we know.
 */
export function checkNames(
  headers: Headers,
  { host: own, hosts, origins }: AllowedNames,
): string | undefined {
  const host = headers.get('host')
  const name = host === null ? undefined : hostName(host)
  if (host !== null && !(name !== undefined && isAllowed(name)))
    return `The host ${JSON.stringify(host.slice(0, 100))} is not allowed: add it to "allowedHosts".`
  const origin = headers.get('origin')
  if (origin === null || isOwnOrigin(origin)) return undefined
  return `The origin ${JSON.stringify(origin.slice(0, 100))} is not allowed: add it to "allowedOrigins".`

  function isAllowed(name: string): boolean {
    return isLoopback(name) || name === own || hosts.some(allowed => allowed === name || allowed === host)
  }

  function isOwnOrigin(origin: string): boolean {
    if (origins.some(allowed => allowed.toLowerCase() === origin.toLowerCase())) return true
    const at = origin.indexOf('://')
    const scheme = origin.slice(0, at)
    if (apps.has(scheme)) return true
    const name = /^https?$/.test(scheme) ? hostName(origin.slice(at + 3)) : undefined
    return name !== undefined && isAllowed(name)
  }
}

/** Applications on this machine, as Ollama lets them in. */
const apps: ReadonlySet<string> = new Set(['app', 'file', 'tauri', 'vscode-webview', 'vscode-file'])

/** The name in `name:port`. Undefined for what is neither a name nor an address. */
function hostName(host: string): string | undefined {
  return /^(\[[0-9a-f:.%]{2,60}\]|[\w.-]{1,255})(?::\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase()
}
