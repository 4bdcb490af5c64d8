import { showValue, ThroughlineError } from '@throughline/core/errors'

export interface AllowedNames {
  /** The address that the server listens on. */
  readonly host: string
  readonly hosts: readonly string[]
  readonly origins: readonly string[]
}

/** Refuses foreign names: a page of another site can make a browser call this machine, but only under its own names. */
export function checkNames(
  headers: Headers,
  { host: ownHost, hosts, origins }: AllowedNames,
): void {
  const host = headers.get('host')
  const name = host === null ? undefined : hostName(host)
  if (host !== null && !(name !== undefined && isAllowed(name))) throw notAllowed('host', host)
  const origin = headers.get('origin')
  if (origin !== null && !isOwnOrigin(origin)) throw notAllowed('origin', origin)

  function isAllowed(name: string): boolean {
    return (
      isLoopback(name) ||
      name === ownHost ||
      hosts.some(allowed => allowed === name || allowed === host)
    )
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

const notAllowed = (what: 'host' | 'origin', name: string) =>
  new ThroughlineError(
    'name_not_allowed',
    `The ${what} ${showValue(name)} is not allowed: add it to "${what === 'host' ? 'allowedHosts' : 'allowedOrigins'}".`,
  )

/**
 * Applications on this machine, as Ollama lets them in. Pages from disk are not among them: their origin is `null`, like that of a
 * frame of any site, or `file://`. They must be named in `allowedOrigins`.
 */
const apps: ReadonlySet<string> = new Set(['app', 'tauri', 'vscode-webview', 'vscode-file'])

/** The name in `name:port`. Undefined for what is neither a name nor an address: an address of `127.0.0.256`, say. */
function hostName(host: string): string | undefined {
  if (!URL.canParse(`http://${host}`)) return undefined
  return /^(\[[0-9a-f:.%]{2,60}\]|[\w.-]{1,255})(?::\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase()
}

/** Whether only this machine can reach an address. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase()
  return (
    name === 'localhost' ||
    name === '::1' ||
    /^(?:::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name)
  )
}
