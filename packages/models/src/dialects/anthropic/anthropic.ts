import { InvalidOptionError, refuseUnknown } from '@throughline/core/errors'
import {
  checkAddress,
  fromEnvironment,
  type ServedModelOptions,
  servedNames,
} from '../../check-options.ts'
import type { Model } from '../../model.ts'
import { fetchConnection } from '../../wire/fetch-connection.ts'
import { openModel } from '../../wire/open-server.ts'
import { anthropicVersion, anthropicWire } from './wire.ts'

/** Options of `anthropic`. */
export interface AnthropicOptions extends ServedModelOptions {
  /** The name of the model: `claude-sonnet-4-5`. */
  readonly model: string
  /** The address before `/v1/messages`. Default `https://api.anthropic.com`. */
  readonly baseURL?: string
  /** The key. Default: the variable ANTHROPIC_API_KEY, for `api.anthropic.com` alone. */
  readonly apiKey?: string
  /** The window in tokens. Default: what the server tells of the model, else that of the table. */
  readonly window?: number
  /** Whether requests get marks for Anthropic's cache: see the guide. Default true. */
  readonly cacheMarks?: boolean
}

/**
 * Makes a model of Anthropic's API, or of another server with `/v1/messages`.
 *
 * @example
 * const model = anthropic({ model: 'claude-sonnet-4-5' })
 */
export function anthropic(options: AnthropicOptions): Model {
  refuseUnknown(options, { ...servedNames, baseURL: 1, apiKey: 1, cacheMarks: 1 })
  const { headers = {}, fetch, cacheMarks } = options
  const address = checkAddress('baseURL', options.baseURL ?? anthropicAddress).replace(/\/v1$/, '')
  const isAnthropic = isAnthropicHost(address)
  // The key that Anthropic's own programs read: no other server may get it.
  const keyNow = () =>
    options.apiKey ?? (isAnthropic ? fromEnvironment('ANTHROPIC_API_KEY') : undefined)
  const connection = fetchConnection({
    address,
    headers: () => {
      const key = keyNow()
      return { 'anthropic-version': anthropicVersion, ...(key && { 'x-api-key': key }), ...headers }
    },
    async fetch(input, init) {
      if (isAnthropic && !keyNow() && !Object.keys(headers).some(isCredential))
        throw new InvalidOptionError('apiKey', 'is missing: give it, or set ANTHROPIC_API_KEY')
      return (fetch ?? globalThis.fetch)(input, init)
    },
  })
  return openModel(anthropicWire({ option: 'baseURL', cacheMarks }), connection, options)
}

const anthropicAddress = 'https://api.anthropic.com'

export const isAnthropicHost = (address: string): boolean =>
  new URL(address).hostname === new URL(anthropicAddress).hostname

const isCredential = (name: string) => /^(?:x-api-key|authorization)$/i.test(name)
