import { setTimeout as sleep } from 'node:timers/promises'
import { fit } from '@throughline/core/context'
import { words } from '@throughline/core/counters'
import { assertContext } from '@throughline/core/testing'
import type { Store } from '@throughline/stores/store'
import type { Thread } from '../../src/index.ts'
import { findGaps, findTorn, readMarked } from './find-torn.ts'
import { turnMessages } from './turn-messages.ts'

/** Acts as the next writer: the log must be valid, the open turn closed by its turn, and its turn stored. */
export async function goOn(store: Store, thread: Thread): Promise<readonly string[]> {
  const faults: string[] = []
  let open = (await store.head(thread.key))?.open
  while (open && open.expiresInMs > 0) {
    await sleep(20)
    open = (await store.head(thread.key))?.open
  }
  await assertValid(thread)
  const last = (await thread.messages()).at(-1) as { content?: string } | undefined
  if (open && last?.content !== '[Interrupted.]')
    faults.push('the open turn is not read as interrupted')

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
  if (turns.some(({ status }) => status === 'open'))
    faults.push('a turn is open after all have ended')
  if (open && turns[open.turn - 1]?.status !== 'interrupted')
    faults.push('the open turn was not interrupted')
  return [...faults, ...findGaps(entries), ...findTorn(entries, turns), ...(await store.check())]
}

/** Throws when what the model would be sent is not a valid context of the log. */
async function assertValid(thread: Thread): Promise<void> {
  const messages = await thread.messages()
  // A thread counts by its history's counter.
  const asked = { window: 2_048, overflow: 'error' } as const
  const options = { ...asked, count: words() }
  const context = fit(messages, options)
  assertContext(messages, options, context)
  const { messages: sent } = await thread.context(asked)
  if (JSON.stringify(sent) !== numberedAsLog(JSON.stringify(context.messages)))
    throw new Error('the context of the thread is not the one of its messages')
}

/** What a list counts from 0, a log counts from 1: "[Not the result: #27 …" stands in it as #28. */
const numberedAsLog = (sent: string) =>
  sent.replace(/#(\d+)/g, (_, place) => `#${Number(place) + 1}`)
