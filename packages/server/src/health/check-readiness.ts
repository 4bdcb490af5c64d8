import { within } from '@throughline/chat/waiting'
import { createHistory } from '@throughline/history'
import type { Store } from '@throughline/stores/store'
import type { NamedUpstream } from '../upstream/upstreams.ts'

/** How long an upstream may take to answer. */
const upstreamMs = 3000

/** How long the log may take to store something: those who ask give up after a second, mostly. */
const storeMs = 800

/** Whether requests can be answered now and stored: the log takes a write, and an upstream lists its models. */
export function createReadiness(store: Store, all: readonly NamedUpstream[]) {
  const { write } = createTrial(store)
  /** Anybody may ask, so that all who ask at the same time share an answer. */
  let asked: Promise<boolean> | undefined
  const mayWrite = () => {
    asked ??= answers(write, storeMs).finally(() => {
      asked = undefined
    })
    return asked
  }
  return async () => {
    const [log, ...each] = await Promise.all([
      mayWrite(),
      ...all.map(({ upstream }) => answers(() => upstream.models(), upstreamMs)),
    ])
    // One upstream that answers is enough.
    const models = each.includes(true)
    const upstreams = Object.fromEntries(all.map(({ name }, at) => [name, toWord(each[at])]))
    return {
      isReady: log && models,
      store: toWord(log),
      upstream: toWord(models),
      // Each of several upstreams, by its name.
      ...(all.length > 1 && { upstreams }),
    }
  }
}

/** No key can have this tenant, so no request can read it. */
const ownTenant = '~health'

/** Writes the same place of the log again and again, so that it does not grow. */
function createTrial(store: Store) {
  const thread = createHistory({ store, tenant: ownTenant }).thread('readiness')
  let isThere = false
  return {
    async write(): Promise<void> {
      isThere ||= (await store.head(thread.key)) !== undefined
      if (!isThere)
        await thread
          .seed({ role: 'system', content: 'Readiness writes here' })
          .catch(async error => {
            // Another server was faster.
            if (!(await store.head(thread.key))) throw error
          })
      isThere = true
      await store.saveCache(thread.key, 'readiness', 1, new Uint8Array(8))
    },
  }
}

const toWord = (isThere: boolean | undefined) => (isThere ? 'ok' : 'away')

async function answers(ask: () => Promise<unknown>, ms: number): Promise<boolean> {
  const answer = (async () => ask())().then(
    () => true,
    () => false,
  )
  return (await within(answer, ms)) ?? false
}
