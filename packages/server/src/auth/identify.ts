import { ThroughlineError } from '@throughline/core/errors'
import { putNewest } from '@throughline/core/values'
import { isStoreFault } from '@throughline/stores/errors'
import { withPatience } from '../exchange/patient-store.ts'
import { type Credential, identityHeaders, keyHeaders } from '../upstream/credential.ts'
import { type Caller, defaultTenant, scopes } from './caller.ts'
import { hashOf, isSame, type KeyRecord, type Keys, looksLikeKey } from './create-keys.ts'

export interface IdentifyOptions {
  readonly keys: Pick<Keys, 'find'>
  /** Keys of the configuration: of the tenant `default`, with all scopes. */
  readonly apiKeys?: readonly string[]
  readonly isRequired?: boolean
  readonly now?: () => number
  /** How long a key is not looked up again; a revoked key may still be used for this time. */
  readonly lifeMs?: number
  /** How long the store may take to tell a key that was valid. Default 200 ms. */
  readonly waitMs?: number
  readonly most?: number
}

/**
 * Tells who sends a request, by its headers; throws for a missing or wrong key. Where no key is required, unknown tokens count
 * as none, because some clients insist on sending one. A token with our prefix must be valid even there, so that a revoked key
 * does not make its owner another caller. Keys that are not ours are the client's own for the upstream; ours never go there.
 */
export function createIdentify(options: IdentifyOptions) {
  const { keys, apiKeys = [], isRequired = apiKeys.length > 0 } = options
  const { now = Date.now, lifeMs = 3000, waitMs = 200, most = 1000 } = options
  const configured = apiKeys.map(key => {
    const hash = hashOf(key)
    // Tells keys apart, and is too short to guess one by.
    const keyId = `config:${hash.toString('hex').slice(0, 8)}`
    const caller: Caller = { tenant: defaultTenant, keyId, scopes, isOperator: true }
    return { hash, caller }
  })
  const remembered = new Map<string, RememberedKey>()

  function inConfiguration(key: string): Caller | undefined {
    const hash = hashOf(key)
    // All are compared, so that the time does not tell which one it was.
    return configured.filter(one => isSame(one.hash, hash))[0]?.caller
  }

  function inStore(key: string): Promise<Caller | undefined> {
    const name = hashOf(key).toString('base64')
    const cached = remembered.get(name)
    if (cached && cached.until > now()) return cached.caller
    const valid = cached?.valid && now() - cached.valid.since < faultMs ? cached.valid : undefined
    const find = () => keys.find(key).then(record => record && toCaller(record))
    const lookup = valid ? withPatience(waitMs, find).catch(unlessFault(valid.caller)) : find()
    const entry: RememberedKey = { until: now() + lifeMs, caller: lookup, valid }
    putNewest(remembered, name, entry, most)
    const forget = () => {
      if (remembered.get(name) === entry) remembered.delete(name)
    }
    // Unknown keys are not remembered: guesses must not push out keys that are in use.
    lookup.then(caller => {
      if (!caller) return forget()
      if (caller !== valid?.caller) entry.valid = { caller, since: now() }
    }, forget)
    return lookup
  }

  /** Who sends a request, and the key for the upstream that the request brings. */
  return async (
    headers: Headers,
  ): Promise<{ readonly caller: Caller; readonly credential: Credential }> => {
    const ours = headers.get(ourHeader)
    const sentKeys =
      ours === null
        ? identityHeaders.flatMap(name => keyIn(headers, name) ?? [])
        : [ours.trim().slice(0, 1024)]
    for (const key of sentKeys) {
      const caller = inConfiguration(key) ?? (looksLikeKey(key) ? await inStore(key) : undefined)
      if (caller) return { caller, credential: credentialIn(headers, key) }
    }
    if (ours !== null || sentKeys.some(looksLikeKey) || (isRequired && sentKeys.length > 0))
      throw new ThroughlineError(
        'key_unknown',
        'This key is not known here: it is wrong, or was revoked.',
      )
    if (isRequired)
      throw new ThroughlineError(
        'key_missing',
        `A key is needed here: send it as "Authorization: Bearer KEY", or as "${ourHeader}" beside a key of your own for the upstream.`,
      )
    return { caller: anybody, credential: credentialIn(headers) }
  }
}

/** How long a key is still valid that was last looked up, while the store cannot be asked. */
const faultMs = 600_000

interface RememberedKey {
  readonly until: number
  readonly caller: Promise<Caller | undefined>
  /** Whose key the store said that it is, and when it last said so. */
  valid: { readonly caller: Caller; readonly since: number } | undefined
}

/** Takes a key for valid that was, where the store cannot be asked. */
const unlessFault = (caller: Caller) => (error: unknown) => {
  if (isStoreFault(error)) return caller
  throw error
}

function toCaller({ id: keyId, tenant, scopes, person }: KeyRecord): Caller {
  return { tenant, keyId, scopes, person }
}

const anybody: Caller = { tenant: defaultTenant, keyId: '', scopes }

/** Where our own key stands if another header has the client's key for the upstream. */
const ourHeader = 'x-throughline-key'

function keyIn(headers: Headers, name: (typeof identityHeaders)[number]): string | undefined {
  const value = headers.get(name) ?? ''
  const key = name === 'authorization' ? /^bearer +(\S+)$/i.exec(value)?.[1] : value
  // No key is longer, so the rest need not be hashed.
  return key ? key.trim().slice(0, 1024) : undefined
}

function credentialIn(headers: Headers, ours?: string): Credential {
  const isOurs = (key: string | undefined) =>
    key !== undefined && (key === ours || looksLikeKey(key))
  const theirs = keyHeaders.filter(name => headers.get(name) && !isOurs(keyIn(headers, name)))
  return Object.fromEntries(theirs.map(name => [name, headers.get(name)!]))
}
