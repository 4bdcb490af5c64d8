import { isObject } from '@throughline/core/values'
import type { LoggedMessage } from '@throughline/history'
import { isSideThread, readLog } from '@throughline/history/log'
import type { Mark, ThreadKey } from '@throughline/stores/store'
import { createChain, markTexts, scopeOf } from '../identity/chain.ts'
import { wholeIn } from '../identity/item.ts'
import { type Log, sourceOf } from './inquiry.ts'
import { keptIn, replyMark } from './kept-reply.ts'

/** Marks an imported conversation as if a client had said it here: lists go on with it, and its responses can be named. */
export async function markImported(log: Log, conversation: string, keyId: string): Promise<void> {
  const { store, tenant } = log
  const [info] = await store.conversations(tenant, { only: conversation, limit: 1 })
  for (const { actor, branch } of info?.threads ?? []) {
    const thread = { tenant, conversation, actor, branch }
    if (!isSideThread(thread)) await markThread(log, thread, keyId)
  }
}

const mostMarks = 1000

async function markThread(log: Log, thread: ThreadKey, keyId: string): Promise<void> {
  const { store } = log
  const source = sourceOf(log, thread)
  const isNamed = await wasNamed(readLog(source))
  // A client that does not name its conversation speaks to one assistant.
  if (!isNamed && thread.actor !== 'assistant') return
  const chain = createChain(scopeOf(keyId, isNamed ? thread : undefined))
  // The past that a branch shares is found in the branch that wrote it.
  const forkedAt = (await store.head(thread))?.forkOf?.at ?? 0
  let marks: Mark[] = []
  for await (const entry of readLog(source)) {
    const names = marksIn(entry, chain)
    if (entry.seq > forkedAt) for (const mark of names) marks.push({ mark, at: entry.seq })
    if (marks.length < mostMarks) continue
    await store.saveMarks(thread, marks)
    marks = []
  }
  if (marks.length > 0) await store.saveMarks(thread, marks)
}

function marksIn(entry: LoggedMessage, chain: ReturnType<typeof createChain>): readonly string[] {
  const compared = wholeIn(entry)
  const hashes = compared && chain.add(compared)
  const id = responseId(entry)
  return [
    ...(hashes ? markTexts(hashes, 'same') : []),
    ...(id === undefined ? [] : [replyMark(id)]),
  ]
}

/** The id of the response that a reply was. An import may hold anything: what cannot be one is none. */
function responseId(entry: LoggedMessage): string | undefined {
  const { id, hints } = (keptIn(entry) ?? {}) as Readonly<Record<string, unknown>>
  const isOurs = typeof id === 'string' && /^[\w-]{1,100}$/.test(id)
  return isOurs && isObject(hints) && isObject(hints.echo) && isObject(hints.namespaced)
    ? id
    : undefined
}

/** Whether the first request of a client named the conversation. */
async function wasNamed(entries: AsyncIterable<LoggedMessage>): Promise<boolean> {
  for await (const { data } of entries) {
    const { request } = (data ?? {}) as { readonly request?: { readonly named?: unknown } }
    if (request) return request.named === true
  }
  return false
}
