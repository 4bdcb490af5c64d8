import { setTimeout as sleep } from 'node:timers/promises'
import { fit } from '../../src/context/fit.ts'
import { createHistory, type Thread } from '../../src/history/index.ts'
import type { Store, StoredTurn } from '../../src/stores/store.ts'
import { assertContext } from '../../src/testing/assert-context.ts'
import { words } from '../../src/tokens/words.ts'
import { findTorn, type MarkedEntry, readMarked } from './find-torn.ts'
import { turnMessages } from './turn-messages.ts'
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
  try {
    const entries = await readMarked(store, thread.key)
    const turns = await store.turns(thread.key)
    return [
      ...(await store.check()),
      ...findGaps(entries),
      ...findLosses(entries, acknowledged),
      ...findTorn(entries, turns),
      ...findUnended(entries, turns, acknowledged),
      ...(await goOn(store, thread)),
    ]
  } catch (error) {
    return [`the log cannot be read or written: ${error}`]
  }
}

function findGaps(entries: readonly MarkedEntry[]): readonly string[] {
  return entries.flatMap(({ seq }, n) => (seq === n + 1 ? [] : [`entry ${seq} stands at place ${n + 1}`]))
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

/** The next writer: what it reads is valid, what was left open is closed by its turn, and its turn is there. */
async function goOn(store: Store, thread: Thread): Promise<readonly string[]> {
  const faults: string[] = []
  let open = (await store.head(thread.key))?.open
  while (open && !open.isExpired) {
    await sleep(20)
    open = (await store.head(thread.key))?.open
  }
  await assertValid(thread)
  const last = (await thread.messages()).at(-1) as { content?: string } | undefined
  if (open && last?.content !== '[Interrupted.]') faults.push('the open turn is not read as interrupted')

  const name = `next-${crypto.randomUUID()}`
  const { question, round, reply, note } = turnMessages(name, 1)
  const begun = await thread.begin(question)
  if (begun.kind !== 'begun') return [...faults, 'the next turn did not begin']
  await begun.turn.append(...round)
  await assertValid(thread)
  await begun.turn.complete(reply, { note })
  await assertValid(thread)

  const turns = await store.turns(thread.key)
  const entries = await readMarked(store, thread.key)
  if (turns.some(({ status }) => status === 'open')) faults.push('a turn is open after all have ended')
  if (open && turns[open.turn - 1]?.status !== 'interrupted') faults.push('the open turn was not interrupted')
  return [...faults, ...findGaps(entries), ...findTorn(entries, turns), ...(await store.check())]
}

/** Throws when what the model would be sent is not a valid context of the log. */
async function assertValid(thread: Thread): Promise<void> {
  const messages = await thread.messages()
  const options = { window: 2_048, count: words(), overflow: 'error' } as const
  assertContext(messages, options, fit(messages, options))
}
