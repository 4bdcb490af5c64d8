import { words } from '@throughline/core/counters'
import type { Store, StoredTurn } from '@throughline/stores/store'
import { createHistory, type Thread } from '../../src/index.ts'
import { findGaps, findTorn, type MarkedEntry, readMarked } from './find-torn.ts'
import { goOn } from './go-on.ts'
import type { Acknowledged } from './writer-line.ts'

export interface Evidence {
  readonly store: Store
  readonly conversation: string
  /** All that writers of this conversation were told is stored. */
  readonly acknowledged: readonly Acknowledged[]
}

/**
 * What is wrong with a log whose writers are gone; nothing when every promise was kept. In the end it writes a turn of
 * its own, as the next process would.
 */
export async function findFaults({
  store,
  conversation,
  acknowledged,
}: Evidence): Promise<readonly string[]> {
  const thread = createHistory({ store, count: words() }).thread(conversation)
  const kept = findBroken(store, thread, acknowledged)
  const found = await kept.catch(error => [`the log cannot be read: ${error}`])
  return [...found, ...(await goOn(store, thread).catch(error => [`nobody can go on: ${error}`]))]
}

/** Reads only. */
async function findBroken(
  store: Store,
  { key }: Thread,
  acknowledged: readonly Acknowledged[],
): Promise<readonly string[]> {
  const { entries, turns } = await readAtOnce(store, key)
  return [
    ...(await store.check()),
    ...findGaps(entries),
    ...findLosses(entries, acknowledged),
    ...findTorn(entries, turns),
    ...findUnended(entries, turns, acknowledged),
  ]
}

/**
 * Entries and turns of one moment. A database may still write what a writer sent just before it was killed: then all is read
 * again.
 */
async function readAtOnce(store: Store, key: Thread['key']) {
  const stateOf = async () => {
    const head = await store.head(key)
    return JSON.stringify([head?.head, head?.turns, head?.open?.turn])
  }
  for (;;) {
    const before = await stateOf()
    const [entries, turns] = [await readMarked(store, key), await store.turns(key)]
    if ((await stateOf()) === before) return { entries, turns }
  }
}

/** Everything that was acknowledged is there once, in the order in which it was acknowledged. */
function findLosses(
  entries: readonly MarkedEntry[],
  acknowledged: readonly Acknowledged[],
): readonly string[] {
  const places = new Map<string, number>()
  const twice = entries.flatMap(({ mark, seq }) => {
    if (mark === undefined) return []
    const isThere = places.has(mark)
    places.set(mark, seq)
    return isThere ? [`${mark} is there twice`] : []
  })
  const last = new Map<string, number>()
  const lost = acknowledged.flatMap(({ texts }) =>
    texts.flatMap(text => {
      const writer = text.split(' ')[0]!
      const place = places.get(text)
      if (place === undefined) return [`${text} was acknowledged and is not there`]
      const isLater = place > (last.get(writer) ?? 0)
      last.set(writer, place)
      return isLater ? [] : [`${text} is out of order`]
    }),
  )
  return [...twice, ...lost]
}

/** A turn whose end was acknowledged is completed. */
function findUnended(
  entries: readonly MarkedEntry[],
  turns: readonly StoredTurn[],
  acknowledged: readonly Acknowledged[],
): readonly string[] {
  const statuses = new Map(turns.map(({ turn, status }) => [turn, status]))
  const turnOf = new Map(entries.map(({ mark, turn }) => [mark, turn]))
  return acknowledged
    .filter(({ step }) => step === 'complete')
    .map(({ texts }) => texts[0]!)
    .filter(text => statuses.get(turnOf.get(text) ?? 0) !== 'completed')
    .map(text => `the turn of ${text} was completed, but its status is another`)
}
