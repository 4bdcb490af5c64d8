import { AsyncLocalStorage } from 'node:async_hooks'

export const keyHeaders = ['authorization', 'x-api-key', 'api-key'] as const

export type Credential = Readonly<Partial<Record<(typeof keyHeaders)[number], string>>>

const storage = new AsyncLocalStorage<Credential>()

/**
 * Runs what answers a request. An upstream for which no key is configured is asked with the key of the client from then on,
 * whatever it is asked: for the reply, the window, a count. Nothing else can read the key.
 */
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
  if (authorization === undefined && key !== undefined) return { ...rest, authorization: `Bearer ${key}` }
  return { ...rest, ...(authorization && { authorization }) }
}

export type KeyScheme = 'bearer' | 'x-api-key'
