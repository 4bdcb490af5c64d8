const ollamaPort = 11_434

/**
 * Reads an address as Ollama reads OLLAMA_HOST: `host`, `host:port`, `http://host/path`. An address to listen on, such as
 * `0.0.0.0`, becomes the one to speak to. Undefined if it is none.
 */
export function parseAddress(text: string): string | undefined {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)
  // A bare IPv6 address has more than one colon and no brackets.
  const isBareV6 = /^[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*$/i.test(trimmed)
  const address = hasScheme ? trimmed : `http://${isBareV6 ? `[${trimmed}]` : defaultHost(trimmed)}`
  if (!URL.canParse(address)) return undefined
  const url = new URL(address)
  if (!/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    return undefined
  if (!hasScheme && url.port === '' && !/:80$/.test(hostOf(trimmed))) url.port = String(ollamaPort)
  const everywhere = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' } as Readonly<Record<string, string>>
  url.hostname = everywhere[url.hostname] ?? url.hostname
  return url.href.replace(/\/+$/, '')
}

/** `:8080` names a port only. */
const defaultHost = (text: string) => (text.startsWith(':') ? `127.0.0.1${text}` : text)

const hostOf = (text: string) => text.slice(0, text.includes('/') ? text.indexOf('/') : text.length)
