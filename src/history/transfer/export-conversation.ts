import { showValue, ThroughlineError } from '../../log/error.ts'
import { few, plural } from '../../log/line.ts'
import type {
  ConversationInfo,
  ConversationKey,
  Head,
  Store,
  StoredTurn,
  ThreadKey,
} from '../../stores/store.ts'
import { lastPlaceOf } from '../calls/plan.ts'
import { readPlan } from '../calls/read-plan.ts'
import { type TransferRecord, toJson } from './record.ts'

/** Conversations that cannot be read, and are missing in an export of all. Thrown after the last of the others. */
export class ExportError extends ThroughlineError {
  readonly conversations: readonly string[]

  constructor(conversations: readonly string[]) {
    const names = few(conversations.map(showValue), 20)
    const problem = `${plural(conversations.length, 'conversation')} cannot be read and are not exported`
    super('corrupt_entry', `${problem}, the others are: ${names}. Run "throughline log check".`)
    this.conversations = conversations
  }
}

/** A conversation as lines of JSON. Only the turns and the calls of one thread are in memory at a time. */
export async function* exportConversation(
  store: Store,
  tenant: string,
  { conversation, threads, title, metadata, person }: ConversationInfo,
): AsyncGenerator<string> {
  const toLine = (record: TransferRecord) => JSON.stringify(record)
  yield toLine({ kind: 'conversation', throughline: 1, conversation, title, metadata, person })
  let entries = 0
  for (const thread of await parentsFirst(store, { tenant, conversation }, threads)) {
    const { actor, branch } = thread.key
    yield toLine({ kind: 'thread', actor, branch, forkOf: thread.forkOf })
    for await (const record of threadRecords(store, thread)) {
      if (record.kind === 'entry') entries += 1
      yield toLine(record)
    }
  }
  yield toLine({ kind: 'end', conversation, entries })
}

type ExportedThread = Head & { readonly key: ThreadKey }

async function* threadRecords(
  store: Store,
  { key, forkOf, head }: ExportedThread,
): AsyncGenerator<TransferRecord> {
  const first = (forkOf?.at ?? 0) + 1
  // Exports the thread as it is at this head; later writes belong to the next export.
  const turns = (await store.turns(key)).filter(turn => turn.first >= first && turn.first <= head)
  const calls = (await store.calls(key)).filter(({ plan }) => lastPlaceOf(readPlan(plan)) <= head)
  let next = 0
  for await (const { payload, tokens: _, ...entry } of store.entries(key, { from: first, to: head })) {
    const turn = turns[next]
    if (turn?.first === entry.seq) {
      yield { kind: 'turn', ...asOf(head, turn) }
      next += 1
    }
    yield { kind: 'entry', ...entry, payload: toJson(payload) }
  }
  for (const { plan, ...call } of calls.toReversed()) yield { kind: 'call', ...call, plan: toJson(plan) }
}

/** A turn as it was at the head: still open if it went on after it. */
function asOf(head: number, turn: StoredTurn): StoredTurn {
  if (turn.last <= head) return turn
  const { endedAt: _, error: __, ...began } = turn
  return { ...began, status: 'open', last: head }
}

/** Lists branches after those they were forked from, because an import must make the parent first. */
export async function parentsFirst(
  store: Store,
  key: ConversationKey,
  threads: ConversationInfo['threads'],
): Promise<readonly ExportedThread[]> {
  const waiting = new Map<string, ExportedThread>()
  const nameOf = (actor: string, branch: string) => JSON.stringify([actor, branch])
  for (const { actor, branch } of threads) {
    const thread = { ...key, actor, branch }
    const head = await store.head(thread)
    if (head) waiting.set(nameOf(actor, branch), { ...head, key: thread })
  }
  const ordered: ExportedThread[] = []
  function add(name: string): void {
    const thread = waiting.get(name)
    if (!thread) return
    waiting.delete(name)
    if (thread.forkOf) add(nameOf(thread.key.actor, thread.forkOf.branch))
    ordered.push(thread)
  }
  for (const name of [...waiting.keys()]) add(name)
  return ordered
}
