import { anthropicVersion, anthropicWire } from '../../models/anthropic/anthropic-wire.ts'
import type { UpstreamConnectionOptions } from './connection.ts'
import { openUpstream } from './open-upstream.ts'

export interface AnthropicUpstreamOptions extends UpstreamConnectionOptions {
  /** The window of all models. Default: what the server says of each, else 200,000. */
  readonly window?: number
  /** Whether requests that are not the client's own get marks for the cache. Default true. */
  readonly cacheMarks?: boolean
}

/** Anthropic's API, or another server with `/v1/messages`. Its address may end with `/v1`. */
export function anthropicUpstream({ window, cacheMarks, ...options }: AnthropicUpstreamOptions) {
  const connection: UpstreamConnectionOptions = {
    ...options,
    url: options.url.replace(/\/+$/, '').replace(/\/v1$/, ''),
    keyScheme: 'x-api-key',
    headers: { 'anthropic-version': anthropicVersion, ...options.headers },
  }
  return openUpstream('anthropic', connection, {
    wire: anthropicWire({ option: 'upstream', cacheMarks }),
    window,
  })
}
