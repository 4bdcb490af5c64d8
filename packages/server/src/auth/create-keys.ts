import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { InvalidOptionError, showValue } from '@throughline/core/errors'
import { present } from '@throughline/core/values'
import { createHistory } from '@throughline/history'
import { ConflictError } from '@throughline/stores/errors'
import { checkPerson, type Store } from '@throughline/stores/store'
import { z } from 'zod'
import { defaultTenant, type KeyScope, scopes } from './caller.ts'
import { checkNamed } from './named-person.ts'

/** A key as it is listed. The key itself is known only to whom it was given. */
export const keyRecord = z.object({
  id: z.string().min(1).max(1000),
  name: z.string(),
  scopes: z.array(z.enum(scopes)),
  tenant: z.string(),
  person: z.string().optional().describe('who speaks with it'),
  created: z.int().describe('milliseconds since 1970'),
})

export type KeyRecord = Readonly<z.output<typeof keyRecord>>

/** By default its scope is `chat`, and its tenant `default`. With a person its only scope is `chat`. */
export type NewKey = Pick<KeyRecord, 'name' | 'person'> & {
  readonly scopes?: readonly KeyScope[]
  readonly tenant?: string
}

export type Keys = ReturnType<typeof createKeys>

/** The keys of a store. They stand in its log: an entry for each, with a hash in the place of the secret. */
export function createKeys(store: Store, { now = Date.now }: { readonly now?: () => number } = {}) {
  const history = createHistory({ store, tenant: keysTenant, now })

  async function read(id: string): Promise<StoredKey | undefined> {
    const [entry] = await history.thread(nameOf(id)).entries({ limit: 1 })
    // An entry of another form, written by another program, is no key.
    return entry && storedKey.safeParse(entry.data).data
  }

  /** Keeps the tenant's name. If two keys are made at once, the second write is refused, and the name is there. */
  async function keepTenant(tenant: string): Promise<void> {
    const thread = history.thread(`${tenantPrefix}${tenant}`)
    if ((await thread.entries({ limit: 1 })).length > 0) return
    await thread.seed({ role: 'system', content: tenant }).catch(error => {
      if (!(error instanceof ConflictError)) throw error
    })
  }

  /** What stands under names with a beginning, without it. */
  async function* namesAfter(beginning: string): AsyncGenerator<string> {
    const limit = 100
    for (let after = { conversation: beginning, updatedAt: 0 }; ; ) {
      const page = await store.conversations(keysTenant, { order: 'name', limit, after })
      for (const { conversation } of page) {
        if (!conversation.startsWith(beginning)) return
        yield conversation.slice(beginning.length)
      }
      if (page.length < limit) return
      after = page.at(-1)!
    }
  }

  return {
    /** Makes a key. This is the only time that it can be seen. */
    async create({ name, scopes: choice = ['chat'], tenant = defaultTenant, person }: NewKey) {
      checkKey(name, choice, tenant)
      if (person !== undefined) checkPersonal(person, choice)
      const id = randomBytes(6).toString('hex')
      const key = `${prefix}${id}_${randomBytes(32).toString('base64url')}`
      const may = scopes.filter(one => choice.includes(one))
      const record = { id, name, scopes: may, tenant, ...present({ person }), created: now() }
      const message = { role: 'system', content: `The key of ${name}` }
      const stored: StoredKey = { ...record, hash: hashOf(key).toString('hex') }
      await history.thread(nameOf(id)).seed({ message, data: stored })
      await keepTenant(tenant)
      return { key, record }
    },

    async list(): Promise<readonly KeyRecord[]> {
      const records: KeyRecord[] = []
      for await (const id of namesAfter(namePrefix)) {
        const stored = await read(id)
        if (stored) records.push(toRecord(stored))
      }
      return records.sort((a, b) => a.created - b.created)
    },

    /** Every tenant that ever had a key: its conversations stay when its keys are revoked. */
    async tenants(): Promise<readonly string[]> {
      const names: string[] = []
      for await (const tenant of namesAfter(tenantPrefix)) names.push(tenant)
      return names
    },

    revoke: async (id: string): Promise<boolean> => isId(id) && history.delete(nameOf(id)),

    /** The record of a key. Undefined for one that was never made, or was revoked. */
    async find(key: string): Promise<KeyRecord | undefined> {
      const id = idOf(key)
      const stored = id === undefined ? undefined : await read(id)
      return stored && isSame(hashOf(key), Buffer.from(stored.hash, 'hex'))
        ? toRecord(stored)
        : undefined
    },
  }
}

/** Where keys stand. No key can have this tenant, so no request can read it. */
const keysTenant = '~keys'

const prefix = 'tl_'
const namePrefix = 'key:'
const tenantPrefix = 'tenant:'
const nameOf = (id: string) => `${namePrefix}${id}`

export const looksLikeKey = (text: string) => text.startsWith(prefix)

export const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest()

/** Compares hashes in a time that does not tell how much of them is the same. */
export const isSame = (a: Buffer, b: Buffer): boolean =>
  a.length === b.length && timingSafeEqual(a, b)

const isId = (text: string) => /^[0-9a-f]{12}$/.test(text)

const idOf = (key: string) => /^tl_([0-9a-f]{12})_[\w-]{43}$/.exec(key)?.[1]

const storedKey = keyRecord.extend({
  tenant: z.string().regex(/^[\w.-]{1,64}$/),
  // As the clock of the server gave it.
  created: z.number(),
  /** SHA-256 of the whole key, in hex. */
  hash: z.string(),
})

type StoredKey = z.output<typeof storedKey>

const toRecord = ({ hash: _, ...record }: StoredKey): KeyRecord => record

function checkKey(name: unknown, choice: unknown, tenant: unknown): void {
  if (typeof name !== 'string' || !/^[^\p{Cc}]{1,100}$/u.test(name))
    throw new InvalidOptionError(
      'name',
      `expected a text of 1 to 100 characters in one line, got ${showValue(name)}`,
    )
  if (!storedKey.shape.tenant.safeParse(tenant).success)
    throw new InvalidOptionError(
      'tenant',
      `expected 1 to 64 letters, digits, ".", "_" or "-", got ${showValue(tenant)}`,
    )
  if (!keyRecord.shape.scopes.min(1).safeParse(choice).success)
    throw new InvalidOptionError(
      'scopes',
      `expected some of ${scopes.join(', ')}, got ${showValue(choice)}`,
    )
}

/** A personal key may only have `chat`: all other scopes reach the conversations of everyone in the tenant. */
function checkPersonal(person: string, choice: readonly KeyScope[]): void {
  checkPerson(person)
  checkNamed(person)
  if (choice.some(scope => scope !== 'chat'))
    throw new InvalidOptionError(
      'scopes',
      'a key that is bound to a person may only have the scope "chat"',
    )
}
