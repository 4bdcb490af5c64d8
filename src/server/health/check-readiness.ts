import type { Store } from '../../stores/store.ts'
import type { NamedUpstream } from '../upstream/upstreams.ts'

export interface Readiness {
  readonly isReady: boolean
  readonly store: 'ok' | 'away'
  readonly upstream: 'ok' | 'away'
  /** Each of several upstreams, by its name. */
  readonly upstreams?: Readonly<Record<string, 'ok' | 'away'>>
}

/** How long the log and the upstream may take to answer. */
const patienceMs = 3000

/** Whether requests can be answered now: the log can be read, and an upstream lists its models. */
export async function checkReadiness(
  store: Pick<Store, 'conversations'>,
  all: readonly NamedUpstream[],
): Promise<Readiness> {
  const [log, ...each] = await Promise.all([
    answers(() => store.conversations('default', { limit: 1 })),
    ...all.map(({ upstream }) => answers(() => upstream.models())),
  ])
  // One upstream that answers is enough.
  const models = each.includes(true)
  const upstreams = Object.fromEntries(all.map(({ name }, at) => [name, toWord(each[at])]))
  return {
    ...{ isReady: log && models, store: toWord(log), upstream: toWord(models) },
    ...(all.length > 1 && { upstreams }),
  }
}

const toWord = (isThere: boolean | undefined): 'ok' | 'away' => (isThere ? 'ok' : 'away')

async function answers(ask: () => Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>(resolve => {
    timer = setTimeout(resolve, patienceMs, false)
  })
  try {
    const answer = ask().then(() => true)
    return await Promise.race([answer, late])
  } catch {
    return false
  } finally {
    clearTimeout(timer)
  }
}
