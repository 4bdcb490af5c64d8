import type { Store } from '../../stores/store.ts'
import type { Upstream } from '../upstream/upstream.ts'

export interface Readiness {
  readonly isReady: boolean
  readonly store: 'ok' | 'away'
  readonly upstream: 'ok' | 'away'
}

/** How long the log and the upstream may take to answer. */
const patienceMs = 3000

/** Whether requests can be answered now: the log can be read, and the upstream lists its models. */
export async function checkReadiness(
  store: Pick<Store, 'conversations'>,
  upstream: Pick<Upstream, 'models'>,
): Promise<Readiness> {
  const [log, models] = await Promise.all([
    answers(() => store.conversations('default', { limit: 1 })),
    answers(() => upstream.models()),
  ])
  return { isReady: log && models, store: log ? 'ok' : 'away', upstream: models ? 'ok' : 'away' }
}

async function answers(ask: () => Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>(resolve => {
    timer = setTimeout(resolve, patienceMs, false)
  })
  try {
    const asked = ask().then(() => true)
    return await Promise.race([asked, late])
  } catch {
    return false
  } finally {
    clearTimeout(timer)
  }
}
