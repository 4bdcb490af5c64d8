import { AsyncLocalStorage } from 'node:async_hooks'

export const keyHeaders = ['authorization', 'x-api-key', 'api-key'] as const

/** Where keys of this server may stand. A key that is sent in Google's way goes to no upstream: none of them is Google's. */
export const identityHeaders = [...keyHeaders, 'x-goog-api-key'] as const

export type Credential = Readonly<Partial<Record<(typeof keyHeaders)[number], string>>>

const storage = new AsyncLocalStorage<Credential>()

/** Answers a request with the key of its client for upstreams that have none of their own. Nothing else can read that key. */
export const withCredential = <Result>(credential: Credential, answer: () => Result): Result =>
  storage.run(credential, answer)

/** The key of the client whose request is answered, in the headers that the upstream reads. */
export function credentialFor(scheme: KeyScheme): Record<string, string> {
  const { authorization, 'x-api-key': key, ...rest } = storage.getStore() ?? {}
  if (scheme === 'x-api-key') {
    // Clients of OpenAI have one place for a key; Anthropic takes only its tokens there.
    const bearer = /^bearer +(sk-ant-api\S+)$/i.exec(authorization ?? '')?.[1]
    if (bearer !== undefined && key === undefined) return { ...rest, 'x-api-key': bearer }
    return { ...rest, ...(authorization && { authorization }), ...(key && { 'x-api-key': key }) }
  }
  if (authorization === undefined && key !== undefined)
    return { ...rest, authorization: `Bearer ${key}` }
  return { ...rest, ...(authorization && { authorization }) }
}

export type KeyScheme = 'bearer' | 'x-api-key'
