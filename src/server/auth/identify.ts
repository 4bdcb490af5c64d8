import { AuthError } from './auth-error.ts'
import { type Caller, defaultTenant, scopes } from './caller.ts'
import { hashOf, isSame, type Keys, looksLikeKey } from './create-keys.ts'

export interface IdentifyOptions {
  readonly keys: Pick<Keys, 'find'>
  /** Keys of the configuration: of the tenant `default`, with all scopes. */
  readonly apiKeys?: readonly string[]
  readonly isRequired?: boolean
  readonly now?: () => number
  /** How long a key that was found is not looked up again: so long it can still be used when it is revoked. */
  readonly lifeMs?: number
  /** The most keys that are remembered. */
  readonly most?: number
}

/**
 * Tells who sends a request, by its headers; throws AuthError for a key that is missing or wrong. Where no key is required,
 * clients that insist on one send anything: that is as good as none. A text that looks like one of our keys is never
 * anything: it must be right, so that whoever was shut out does not come in as somebody else.
 */
export function createIdentify(options: IdentifyOptions): (headers: Headers) => Promise<Caller> {
  const { keys, apiKeys = [], isRequired = apiKeys.length > 0 } = options
  const { now = Date.now, lifeMs = 3000, most = 1000 } = options
  const configured = apiKeys.map(key => ({
    hash: hashOf(key),
    caller: operator(`config:${shortHash(key)}`),
  }))
  const remembered = new Map<
    string,
    { readonly until: number; readonly found: Promise<Caller | undefined> }
  >()

  function inConfiguration(key: string): Caller | undefined {
    const hash = hashOf(key)
    // All are compared, so that the time does not tell which one it was.
    return configured.filter(known => isSame(known.hash, hash))[0]?.caller
  }

  function inStore(key: string): Promise<Caller | undefined> {
    const name = hashOf(key).toString('base64')
    const known = remembered.get(name)
    if (known && known.until > now()) return known.found
    remembered.delete(name)
    const found = keys
      .find(key)
      .then(record => record && { tenant: record.tenant, keyId: record.id, scopes: record.scopes })
    const entry = { until: now() + lifeMs, found }
    remembered.set(name, entry)
    const forget = () => {
      if (remembered.get(name) === entry) remembered.delete(name)
    }
    // What is no key is not remembered: guesses must not push out keys that are in use.
    found.then(caller => caller ?? forget(), forget)
    if (remembered.size > most) remembered.delete(remembered.keys().next().value!)
    return found
  }

  return async headers => {
    const given = keysIn(headers)
    for (const key of given) {
      const caller = inConfiguration(key) ?? (looksLikeKey(key) ? await inStore(key) : undefined)
      if (caller) return caller
    }
    if (given.some(looksLikeKey) || (isRequired && given.length > 0))
      throw new AuthError('key_unknown', 'This key is not known here: it is wrong, or was revoked.')
    if (isRequired)
      throw new AuthError('key_missing', 'A key is needed here: send it as "Authorization: Bearer KEY".')
    return anybody
  }
}

const operator = (keyId: string): Caller => ({ tenant: defaultTenant, keyId, scopes, isOperator: true })

const anybody: Caller = { tenant: defaultTenant, keyId: '', scopes }

/** Tells keys apart, and is too short to guess one by. */
const shortHash = (key: string) => hashOf(key).toString('hex').slice(0, 8)

/** The keys in the headers that clients send them in. */
function keysIn(headers: Headers): readonly string[] {
  const bearer = /^bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
  const given = [bearer, headers.get('x-api-key'), headers.get('api-key')]
  // Longer ones are nobody's, and need no hash.
  return given.flatMap(key => (key ? [key.trim().slice(0, 1024)] : []))
}
