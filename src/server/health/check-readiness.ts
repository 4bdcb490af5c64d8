import type { Store } from '../../stores/store.ts'
import { within } from '../../turn/wait/within.ts'
import type { NamedUpstream } from '../upstream/upstreams.ts'

/** How long the log and the upstream may take to answer. */
const patienceMs = 3000

/** Whether requests can be answered now: the log can be read, and an upstream lists its models. */
export async function checkReadiness(store: Store, all: readonly NamedUpstream[]) {
  const [log, ...each] = await Promise.all([
    answers(() => store.conversations('default', { limit: 1 })),
    ...all.map(({ upstream }) => answers(() => upstream.models())),
  ])
  // One upstream that answers is enough.
  const models = each.includes(true)
  const upstreams = Object.fromEntries(all.map(({ name }, at) => [name, toWord(each[at])]))
  return {
    ...{ isReady: log && models, store: toWord(log), upstream: toWord(models) },
    // Each of several upstreams, by its name.
    ...(all.length > 1 && { upstreams }),
  }
}

const toWord = (isThere: boolean | undefined) => (isThere ? 'ok' : 'away')

async function answers(ask: () => Promise<unknown>): Promise<boolean> {
  const answer = (async () => ask())().then(
    () => true,
    () => false,
  )
  return (await within(answer, patienceMs)) ?? false
}
