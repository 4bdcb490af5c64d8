import { createHmac, randomBytes } from 'node:crypto'
import { createHistory } from '../../history/index.ts'
import { mainBranch } from '../../history/log/read-log.ts'
import type { Store } from '../../stores/store.ts'
import type { Served } from '../exchange/runner.ts'

/** Hides a name: the same name looks the same in all lines of all servers on one log, and says nothing. */
export type HideName = (name: string) => string

/** Hashes with a secret beside the log: logs have more readers than conversations, and plain hashes of names can be guessed. */
export async function createHideName(store: Store): Promise<HideName> {
  const secret = await readSecret(store)
  return name => createHmac('sha256', secret).update(name).digest('base64url').slice(0, 12)
}

/** What became of a request, with names that say nothing. */
export function withoutNames(served: Served, hide: HideName): Served {
  const { place } = served
  if (!place) return served
  const { thread } = place
  const branch = thread.branch === mainBranch ? mainBranch : hide(thread.branch)
  return {
    ...served,
    place: { ...place, thread: { ...thread, conversation: hide(thread.conversation), branch } },
  }
}

/** Where the secret stands. No key can have this tenant, so no request can read it. */
const ownTenant = '~server'

async function readSecret(store: Store): Promise<string> {
  const thread = createHistory({ store, tenant: ownTenant }).thread('names')
  const read = async () => {
    const [first] = await thread.entries()
    const { secret } = (first?.data ?? {}) as { readonly secret?: unknown }
    return typeof secret === 'string' ? secret : undefined
  }
  const stored = await read()
  if (stored !== undefined) return stored
  const fresh = randomBytes(32).toString('base64url')
  const message = { role: 'system', content: 'The secret that hides names in logs' }
  // Where another server is faster, or nothing can be written, the first secret that can be read counts.
  await thread.seed({ message, data: { secret: fresh } }).catch(() => undefined)
  return (await read().catch(() => undefined)) ?? fresh
}
