import { createTape } from '@throughline/chat/turn'
import { ThroughlineError } from '@throughline/core/errors'
import type { History } from '@throughline/history'
import type { ConversationInfo, ListConversations } from '@throughline/stores/store'
import { z } from 'zod'
import type { ServerEvent, ServerEvents } from '../event-stream.ts'
import { type AnswerOf, name, threadPlace, time } from '../schemas.ts'
import type { WriteEvent } from './noticing-store.ts'

/** Events say how far a conversation is, so one that comes twice does no harm: after a pause, all that may be new is sent. */
export const feedEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready').describe('everything from now on is told') }),
  z.object({
    type: z.literal('written'),
    conversation: name,
    updatedAt: time,
    threads: z.array(threadPlace),
  }),
  z.object({ type: z.literal('deleted'), conversation: name }),
  z.object({ type: z.literal('reset').describe('too much was missed: read the list again') }),
])

type FeedEvent = AnswerOf<typeof feedEvent>

interface FeedListenOptions {
  readonly conversation?: string
  /** The id of the last event that the listener has. */
  readonly since?: string
  readonly person?: string
  /** Whether experiments are told too. */
  readonly mayInspect: boolean
  readonly signal: AbortSignal
}

export type Feeds = ReturnType<typeof createFeeds>

/** A write that is committed late has an earlier time than some that were seen. Every look reaches back this far. */
const overlapMs = 10_000

/** A listener that comes back is told this many conversations one by one. If it missed more, it is told to read the list again. */
const mostMissed = 500

/** The writes of so long a time are told together: nobody sees the pause. */
const gatherMs = 100

/** A listener that is more events behind is sent away, and comes back with `Last-Event-ID`. */
const mostWaiting = 1000

/** Own writes are announced soon; writes of other processes are found by polling, once for all listeners. */
export function createFeeds(
  historyOf: (tenant: string, mayInspect: boolean) => History,
  pollMs = 1000,
  maxListeners = 256,
) {
  const feeds = new Map<string, Feed>()
  let listeners = 0

  /** Joins when it is first read: a client may leave before. */
  async function* listen(
    tenant: string,
    { mayInspect, conversation, person, since, signal }: FeedListenOptions,
  ): AsyncGenerator<ServerEvents<FeedEvent>> {
    const name = nameOf(tenant, mayInspect)
    const feed = feeds.get(name) ?? createFeed(historyOf(tenant, mayInspect), pollMs)
    feeds.set(name, feed)
    listeners += 1
    const { batches, leave } = feed.join(signal)
    const isMeant = ({ event: { data }, whose }: OwnedEvent) =>
      (person === undefined || whose === person) &&
      (conversation === undefined ||
        !('conversation' in data) ||
        data.conversation === conversation)
    try {
      if (signal.aborted) return
      const { id, missed } = await feed.start(since, { only: conversation, person })
      for (const data of missed) yield toEvent(data, id)
      yield toEvent({ type: 'ready' }, id)
      for await (const batch of batches) {
        const meant = batch.filter(isMeant)
        if (meant.length > 0) yield meant.map(({ event }) => event)
      }
    } finally {
      leave()
      listeners -= 1
      if (feed.isUnused() && feeds.get(name) === feed) feeds.delete(name)
    }
  }

  return {
    get listeners(): number {
      return listeners
    },
    listen(tenant: string, options: FeedListenOptions) {
      if (listeners >= maxListeners)
        throw new ThroughlineError(
          'too_many_listeners',
          `More than ${maxListeners} listen already: try again later.`,
        )
      return listen(tenant, options)
    },
    notice({ tenant, conversation, what, gone }: WriteEvent): void {
      for (const mayInspect of gone?.isExperiment ? [true] : [true, false])
        feeds.get(nameOf(tenant, mayInspect))?.notice(conversation, what, gone?.person)
    },
    close(): void {
      for (const feed of feeds.values()) feed.close()
      feeds.clear()
    },
  }
}

/** Callers who may inspect get more events. */
const nameOf = (tenant: string, mayInspect: boolean) => JSON.stringify([tenant, mayInspect])

/** An event, and whose conversation it is about. All listeners get the same object, so that it is written once. */
interface OwnedEvent {
  readonly event: ServerEvent<FeedEvent>
  readonly whose: string | undefined
}

type Feed = ReturnType<typeof createFeed>

/** The feed of one tenant. It asks the store only while there is a listener. */
function createFeed(history: History, pollMs: number) {
  const events = createTape<OwnedEvent>(mostWaiting)
  let listeners = 0
  const dirty = new Set<string>()
  /** What was last announced of each conversation that was written to lately. */
  const latest = new Map<string, { readonly updatedAt: number; readonly looks: string }>()
  /** The time of the newest write that was seen, by the clock of the store: the id of events. */
  let newest: number | undefined
  let timer: NodeJS.Timeout | undefined
  let soon: NodeJS.Timeout | undefined
  let first: Promise<void> | undefined

  function tell(data: FeedEvent, whose: string | undefined): void {
    events.push({ event: toEvent(data, newest ?? 0), whose })
  }

  /** Tells of a conversation; with `isSure` also if nothing is to be seen of the write: a call, a title. */
  function see(info: ConversationInfo, isSure: boolean): void {
    const looks = looksOf(info)
    const isNew = latest.get(info.conversation)?.looks !== looks
    newest = Math.max(newest ?? 0, info.updatedAt)
    latest.set(info.conversation, { updatedAt: info.updatedAt, looks })
    if (isNew || isSure) tell(toWritten(info), info.person)
  }

  /** Looks at everything since the last time. The first look only remembers. */
  async function look(): Promise<void> {
    const isFirst = newest === undefined
    const since = (newest ?? 0) - overlapMs
    const infos = isFirst
      ? await history.conversations({ limit: 20 })
      : await writtenSince(history, since, Number.POSITIVE_INFINITY)
    if (isFirst) {
      newest = infos[0]?.updatedAt ?? 0
      for (const info of infos)
        latest.set(info.conversation, { updatedAt: info.updatedAt, looks: looksOf(info) })
    } else for (const info of infos.toReversed()) see(info, false)
    for (const [conversation, { updatedAt }] of latest)
      if (updatedAt < newest! - 2 * overlapMs) latest.delete(conversation)
  }

  /** Looks never overlap: a look that begins before the first has ended would announce nothing either. */
  function poll(): void {
    clearTimeout(timer)
    if (listeners === 0) return
    // A store that does not answer is asked again; nothing is missed.
    timer = setTimeout(() => void look().then(poll, poll), pollMs)
    timer.unref()
  }

  async function tellDirty(): Promise<void> {
    soon = undefined
    const conversations = [...dirty]
    dirty.clear()
    const infos: ConversationInfo[] = []
    for (const only of conversations) {
      const [info] = await history.conversations({ only, limit: 1 })
      if (info) infos.push(info)
    }
    for (const info of infos) see(info, true)
  }

  return {
    /** What is told from now on, until the feed is closed or the signal is aborted. */
    join(signal: AbortSignal) {
      listeners += 1
      if (listeners === 1) {
        first = look()
        first.then(poll, poll)
      }
      function leave(): void {
        listeners -= 1
        if (listeners === 0) clearTimeout(timer)
      }
      return { batches: events.read({ from: events.length, signal }), leave }
    },
    isUnused: () => listeners === 0,
    /** `whose`: of what was deleted. */
    notice(conversation: string, what: WriteEvent['what'], whose: string | undefined): void {
      if (what === 'deleted') return tell({ type: 'deleted', conversation }, whose)
      dirty.add(conversation)
      // A request writes some times. Each event is a piece for each listener, which costs more than the request itself.
      soon ??= setTimeout(() => void tellDirty().catch(() => undefined), gatherMs)
    },
    /** What was written since an event, and the id of now. */
    async start(
      since: string | undefined,
      of: Pick<ListConversations, 'only' | 'person'>,
    ): Promise<{ readonly id: number; readonly missed: readonly FeedEvent[] }> {
      await first
      const id = newest ?? 0
      if (since === undefined) return { id, missed: [] }
      const from = Number(since)
      if (!Number.isSafeInteger(from)) return { id, missed: [{ type: 'reset' }] }
      const infos = await (of.only === undefined
        ? writtenSince(history, from - overlapMs, mostMissed, of)
        : history.conversations({ ...of, limit: 1 }))
      if (infos.length > mostMissed) return { id, missed: [{ type: 'reset' }] }
      return { id, missed: infos.toReversed().map(toWritten) }
    },
    close(): void {
      clearTimeout(timer)
      clearTimeout(soon)
      events.end()
    },
  }
}

/** The conversations written to since a time, newest first; more than `most` only by the rest of a page. */
async function writtenSince(
  history: History,
  since: number,
  most: number,
  of: Pick<ListConversations, 'person'> = {},
): Promise<readonly ConversationInfo[]> {
  const infos: ConversationInfo[] = []
  const limit = 20
  for (let after: ConversationInfo | undefined; infos.length <= most; ) {
    const page = await history.conversations({ ...of, limit, after })
    const late = page.findIndex(({ updatedAt }) => updatedAt < since)
    for (const info of late < 0 ? page : page.slice(0, late)) infos.push(info)
    if (late >= 0 || page.length < limit) break
    after = page.at(-1)
  }
  return infos
}

/** What may have changed of a conversation since it was announced. Its person may become known after its first write. */
const looksOf = ({ updatedAt, threads, person }: ConversationInfo) =>
  JSON.stringify([updatedAt, threads, person])

const toWritten = ({ conversation, updatedAt, threads }: ConversationInfo): FeedEvent => ({
  type: 'written',
  conversation,
  updatedAt,
  threads,
})

const toEvent = (data: FeedEvent, id: number): ServerEvent<FeedEvent> => ({
  event: data.type,
  data,
  id: String(id),
})
