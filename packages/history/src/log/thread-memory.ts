import type { Context } from '@throughline/core/context'
import { createConversation, emptyEntries, restoreTranscript } from '@throughline/core/conversation'
import { type MessageLike, stampEntry } from '@throughline/core/messages'
import type { Head } from '@throughline/stores/store'
import {
  addFacts,
  factsIn,
  type LogFacts,
  loadCheckpoints,
  saveCheckpoints,
} from './checkpoints.ts'
import { checkBranch, type LogSource, listLog, readLog } from './read-log.ts'
import { breathe } from './rests.ts'
import type { ThreadVectors } from './vectors/thread-vectors.ts'
import type { Loading } from './while-loading.ts'

/** What is held of a thread: the entries up to the newest that was read. */
interface Held {
  readonly conversation: ReturnType<typeof createConversation>
  readonly facts: LogFacts
  /** The newest entry; 0 before anything is read, and when all must be read again. */
  newest: number
  /** How many units are in stored checkpoints. */
  saved: number
  /** Texts before this entry are not in memory, except the `borrowed` ones. */
  emptied: number
  readonly borrowed: number[]
  /** The last context that was made of it, and the newest entry at that time. */
  context?: Context
  fitted: number
}

/** How many texts stay in memory when others are dropped, which happens at about twice as many. */
const fewestTexts = 1024

/** How many texts are dropped in one piece. */
const emptiedInRow = 4096

/** A thread in memory: of a long one the texts at its end and those asked for; else sizes and words. */
export function createThreadMemory(source: LogSource, vectors: ThreadVectors | undefined) {
  const { store, key, count } = source
  const places = new WeakMap<object, number>()
  const recent = createRecentMessages(source)
  let held: Held = {
    conversation: createConversation(count),
    facts: factsIn([]),
    newest: 0,
    saved: 0,
    emptied: 0,
    borrowed: [],
    fitted: 0,
  }

  /** Starts over from the stored checkpoints. Reads all before it changes anything, so that a failed read does no harm. */
  async function restart(head: Head): Promise<void> {
    const loaded = await loadCheckpoints(source, head)
    const packed = loaded.map(checkpoint => checkpoint.packed)
    const { transcript, used } = restoreTranscript(count, packed)
    const checkpoints = loaded.slice(0, used)
    const lead = checkpoints[0]?.facts.lead ?? 0
    const leading = lead > 0 ? await listLog(source, { to: lead }) : []
    const system = leading.map(({ view, seq }) => stampEntry(view, seq, count))
    for (const { view, seq } of leading) places.set(view, seq)
    const { at = 0, to = 0 } = checkpoints.at(-1) ?? {}
    held = {
      conversation: createConversation(count, { system, transcript }),
      facts: factsIn(checkpoints),
      newest: at,
      saved: to,
      emptied: transcript.entries.length,
      borrowed: [],
      fitted: 0,
    }
    recent.restart(at + 1)
  }

  async function refresh(): Promise<Head | undefined> {
    const head = await store.head(key)
    checkBranch(key, head)
    if (head && vectors) forgetFrom(await vectors.refresh(head))
    const isAnew = held.newest === 0 || (head?.head ?? 0) < held.newest
    if (isAnew) await restart(head ?? { head: 0, turns: 0 })
    const newestBefore = isAnew ? 0 : held.newest
    let isErased = false
    if (head && head.head > held.newest)
      for await (const logged of readLog(source, { from: held.newest + 1, to: head.head })) {
        const { message, view, seq } = logged
        addFacts(held.facts, logged)
        places.set(view, seq)
        recent.add(message)
        held.conversation.append(view, seq)
        held.newest = seq
        isErased ||=
          logged.hands?.some(hand => hand.does === 'erase' && hand.seq <= newestBefore) === true
      }
    if (!isErased) return head
    // A text that is in memory is gone: all is read again.
    forget()
    return refresh()
  }

  /** Reads all again at the next use. */
  function forget(): void {
    held.newest = 0
  }

  /** Forgets what was made of entries without vectors that count from a place on, and came too late for it. */
  function forgetFrom(since: number): void {
    if (since <= held.fitted) forget()
  }

  const loading = (): Loading => ({
    source,
    lead: held.conversation.system.length,
    places,
    onLoad: place => held.borrowed.push(place),
  })

  /** Stores checkpoints of what is new, and drops texts that were not used of late. */
  async function tidy(): Promise<void> {
    const { system, transcript } = held.conversation
    const facts = { lead: system.length, ...held.facts }
    held.saved = await saveCheckpoints(loading(), transcript, facts, held.saved)
    // Texts without a checkpoint stay: a checkpoint is made of them.
    const stored = transcript.units[held.saved]?.from ?? 0
    // Texts that were just sent stay: they will be sent again.
    const most = Math.max(fewestTexts, 2 * (held.context?.messages.length ?? 0))
    const end = Math.min(transcript.entries.length - most, stored)
    if (end - held.emptied > most)
      for (; held.emptied < end; await breathe()) {
        const to = Math.min(end, held.emptied + emptiedInRow)
        emptyEntries(transcript, held.emptied, to)
        held.emptied = to
      }
    for (const place of held.borrowed.splice(0, Math.max(0, held.borrowed.length - most)))
      if (place < held.emptied) emptyEntries(transcript, place, place + 1)
  }

  return {
    get held() {
      return held
    },
    places,
    recent,
    refresh,
    forget,
    forgetFrom,
    loading,
    tidy,
  }
}

/** How many messages stay when the oldest are dropped, which happens at twice as many. */
const fewest = 1024

/** The newest messages of a thread in full: tools read them in every turn. */
function createRecentMessages(source: LogSource) {
  let from = 1
  let messages: MessageLike[] = []

  /** Cuts where a round begins: a result is useless without its call. */
  function letOldestGo(): void {
    let cut = messages.length - fewest
    // A round of very many results stays whole: only the newest messages are looked at, however long it is.
    while (
      cut < messages.length &&
      messages[cut]!.role !== 'user' &&
      messages[cut]!.role !== 'assistant'
    )
      cut += 1
    if (cut === messages.length) return
    messages = messages.slice(cut)
    from += cut
  }

  return {
    /** Forgets all messages; the next one has this place. */
    restart(place: number): void {
      from = place
      messages = []
    },
    add(message: MessageLike): void {
      messages.push(message)
      if (messages.length > 2 * fewest) letOldestGo()
    },
    /** The messages, and the place of the first. */
    async read(): Promise<{ readonly from: number; readonly messages: readonly MessageLike[] }> {
      if (from > 1 && messages.length < fewest) {
        const limit = 2 * fewest - messages.length
        const older = await listLog(source, { to: from - 1, reverse: true, limit })
        messages = [...older.toReversed().map(({ message }) => message), ...messages]
        from -= older.length
        if (from > 1) letOldestGo()
      }
      return { from, messages: [...messages] }
    },
  }
}
