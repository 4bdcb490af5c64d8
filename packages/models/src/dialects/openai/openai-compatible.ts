import { InvalidOptionError, refuseUnknown } from '@throughline/core/errors'
import { present } from '@throughline/core/values'
import {
  checkAddress,
  fromEnvironment,
  type ServedModelOptions,
  servedNames,
} from '../../check-options.ts'
import type { Model } from '../../model.ts'
import { fetchConnection } from '../../wire/fetch-connection.ts'
import { openModel } from '../../wire/open-server.ts'
import { openaiWire } from './wire.ts'

/** Options of `openaiCompatible`. */
export interface OpenAiCompatibleOptions extends ServedModelOptions {
  /** The address before `/chat/completions`: `http://127.0.0.1:1234/v1`. */
  readonly baseURL: string
  /** The key of that server. Default: none; for `api.openai.com` the variable OPENAI_API_KEY. */
  readonly apiKey?: string
}

/**
 * Makes a model of any server that speaks OpenAI's chat completions.
 *
 * @example
 * const model = openaiCompatible({ baseURL: 'http://127.0.0.1:8000/v1', model: 'qwen3', window: 32_768 })
 */
export function openaiCompatible(options: OpenAiCompatibleOptions): Model {
  refuseUnknown(options, { ...servedNames, baseURL: 1, apiKey: 1 })
  const { apiKey, headers = {}, fetch } = options
  const { address, base, isOpenAi } = readBase(checkAddress('baseURL', options.baseURL))
  const keyNow = () => apiKey ?? (isOpenAi ? fromEnvironment('OPENAI_API_KEY') : undefined)
  const connection = fetchConnection({
    address,
    headers() {
      const key = keyNow()
      const names = isOpenAi ? openAiNames() : {}
      return { ...present({ authorization: key && `Bearer ${key}`, ...names }), ...headers }
    },
    async fetch(input, init) {
      if (isOpenAi && !keyNow())
        throw new InvalidOptionError('apiKey', 'is missing: give it, or set OPENAI_API_KEY')
      return (fetch ?? globalThis.fetch)(input, init)
    },
  })
  return openModel(openaiWire({ option: 'baseURL', base, isOpenAi }), connection, options)
}

/** The address of a server, and what follows it before the paths of OpenAI. */
export function readBase(baseURL: string) {
  const isVersioned = baseURL.endsWith('/v1')
  return {
    address: isVersioned ? baseURL.slice(0, -'/v1'.length) : baseURL,
    base: isVersioned ? '/v1' : '',
    isOpenAi: new URL(baseURL).hostname === 'api.openai.com',
  } as const
}

/** The names that OpenAI's own programs read from the environment. No other server may get them, nor the key. */
const openAiNames = () => ({
  'openai-organization': fromEnvironment('OPENAI_ORG_ID'),
  'openai-project': fromEnvironment('OPENAI_PROJECT_ID'),
})
