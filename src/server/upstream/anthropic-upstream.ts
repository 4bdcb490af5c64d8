import { anthropicVersion, anthropicWire } from '../../models/anthropic/anthropic-wire.ts'
import { openServer } from '../../models/wire/open-server.ts'
import { openConnection, type UpstreamConnectionOptions } from './connection.ts'
import { toUpstream } from './to-upstream.ts'
import type { Upstream } from './upstream.ts'

export interface AnthropicUpstreamOptions extends UpstreamConnectionOptions {
  /** The window of all models. Default: what the server says of each, else 200,000. */
  readonly window?: number
  /** Whether requests that are not the client's own get marks for the cache. Default true. */
  readonly cacheMarks?: boolean
}

/** Anthropic's API, or another server with `/v1/messages`. Its address may end with `/v1`. */
export function anthropicUpstream({ window, cacheMarks, ...options }: AnthropicUpstreamOptions): Upstream {
  const connection = openConnection({
    ...options,
    url: options.url.replace(/\/+$/, '').replace(/\/v1$/, ''),
    keyScheme: 'x-api-key',
    headers: { 'anthropic-version': anthropicVersion, ...options.headers },
  })
  const wire = anthropicWire({ option: 'upstream', cacheMarks })
  return toUpstream(
    'anthropic',
    connection,
    openServer({ wire, connection, window, settings: settings => settings }),
  )
}
