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
    // Whoever calls a model knows better when to try again, and with what.
    maxRetries: 0,
    // The client prints what it cannot read.
    logLevel: 'off',
    // It refuses to run in a browser for the sake of the key.
    dangerouslyAllowBrowser: apiKey === undefined,
    ...(isOpenAi ? ownKeys(apiKey) : strangerKeys(apiKey)),
    defaultHeaders: { ...(isOpenAi || apiKey ? {} : { Authorization: null }), ...headers },
  })
}

/** OpenAI itself: without a key the client looks for OPENAI_API_KEY. */
function ownKeys(apiKey: string | undefined) {
  return apiKey === undefined ? {} : { apiKey }
}

/** Anybody else must not get the keys and names for OpenAI that the client finds in the environment. */
function strangerKeys(apiKey = 'none') {
  return { apiKey, adminAPIKey: null, organization: null, project: null }
}
