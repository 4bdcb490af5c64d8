import { identityHeaders } from './credential.ts'

/** What belongs to one connection and not to the message. */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** Not for the upstream: `X-Conversation-Id` makes llama.cpp go on after the client has left; Ollama refuses an `Origin`. */
const ours = [
  ...identityHeaders,
  'cookie',
  'host',
  'origin',
  'referer',
  'expect',
  'x-conversation-id',
]

/** The headers of a client's request as they go on to the upstream, but for those of `others`. */
export function headersOn(
  headers: Readonly<Record<string, string>>,
  body: AsyncIterable<Uint8Array> | Uint8Array | undefined,
  others: readonly string[] = [],
): Record<string, string> {
  // The length of a whole body is counted again, that of a stream is known to the client only.
  const isStream = body !== undefined && !(body instanceof Uint8Array)
  return without(
    headers,
    [...ours, ...others, ...(isStream ? [] : ['content-length'])],
    'x-throughline-',
  )
}

/** The headers of an upstream's answer as they go back to the client, without those of CORS: the server sets its own. */
export function headersBack(headers: Readonly<Record<string, string | string[] | undefined>>) {
  return without(headers, ['set-cookie'], 'access-control-')
}

function without(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  names: readonly string[],
  prefix: string,
): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined)
      kept[name.toLowerCase()] = typeof value === 'string' ? value : value.join(', ')
  const named = (kept.connection ?? '').split(',').map(name => name.trim().toLowerCase())
  const left = new Set([...hopByHop, ...names, ...named])
  return Object.fromEntries(
    Object.entries(kept).filter(([name]) => !left.has(name) && !name.startsWith(prefix)),
  )
}
