import { loadClient } from '../load-client.ts'
import type { Wire } from '../open-wire.ts'

interface Access {
  readonly baseURL: string
  readonly headers: Readonly<Record<string, string>>
  readonly apiKey: string | undefined
  readonly isOpenAi: boolean
}

/** A client for one request. */
export async function connect({ baseURL, headers, apiKey, isOpenAi }: Access, { fetch }: Wire) {
  const { OpenAI } = await loadClient('openai', () => import('openai'))
  return new OpenAI({
    baseURL,
    fetch,
    // The turn retries itself: the client must not.
    maxRetries: 0,
    // The client would print lines that it cannot read.
    logLevel: 'off',
    // The client refuses to run in a browser, to protect the key; without a key it may.
    dangerouslyAllowBrowser: apiKey === undefined,
    ...(isOpenAi ? ownKeys(apiKey) : strangerKeys(apiKey)),
    defaultHeaders: { ...(isOpenAi || apiKey ? {} : { Authorization: null }), ...headers },
  })
}

/** For OpenAI itself: without a key the client reads OPENAI_API_KEY. */
function ownKeys(apiKey: string | undefined) {
  return apiKey === undefined ? {} : { apiKey }
}

/** For other servers: they must not get OpenAI's keys and names, which the client reads from the environment. */
function strangerKeys(apiKey = 'none') {
  return { apiKey, adminAPIKey: null, organization: null, project: null }
}
