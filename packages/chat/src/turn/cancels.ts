import { hashOf } from '@throughline/core/values'
import type { Lease, Store, ThreadKey } from '@throughline/stores/store'

export type Cancels = ReturnType<typeof createCancels>

/** A reply on a branch that may have no name yet; `id`: where its client knows one. */
export type WatchedReply = Omit<ThreadKey, 'branch'> & {
  readonly branch?: string
  readonly id?: string
}

/** A conversation, or those threads of it that have this actor and this branch. */
export type CancelledThread = Pick<ThreadKey, 'conversation'> &
  Partial<Pick<ThreadKey, 'actor' | 'branch'>>

/** The replies that this process gives, and the wishes of other processes on the same database to cancel one. */
export function createCancels(store: Store, lookMs = 1000) {
  const watched = new Map<WatchedReply, () => void>()
  let timer: ReturnType<typeof setTimeout> | undefined

  function abort(isIt: (reply: WatchedReply) => boolean): boolean {
    const matches = [...watched].filter(([reply]) => isIt(reply))
    for (const [, cancel] of matches) cancel()
    return matches.length > 0
  }

  const abortIn = (tenant: string, thread: CancelledThread) =>
    abort(reply => reply.tenant === tenant && isMeant(reply, thread))

  /** Looks for wishes. A reply that is over within a second costs nothing. */
  async function look(): Promise<void> {
    const tenants = new Set([...watched.keys()].map(({ tenant }) => tenant))
    for (const tenant of tenants) {
      const running = [...watched.keys()].filter(reply => reply.tenant === tenant)
      const names = new Set(running.map(({ conversation }) => conversation))
      const marks = await Promise.all([...names].map(markOf))
      for (const { thread, at } of await store.findMarks(tenant, marks)) {
        // A wish is for one try of one turn: the next one is not meant.
        const { open } = (await store.head(thread)) ?? {}
        if (open?.first === at && (await isWished(thread, open.lease))) abortIn(tenant, thread)
      }
    }
  }

  async function isWished(thread: ThreadKey, lease: Lease): Promise<boolean> {
    const places = await store.findMarks(thread.tenant, [await tryMark(thread.conversation, lease)])
    return places.some(
      ({ thread: { actor, branch } }) => actor === thread.actor && branch === thread.branch,
    )
  }

  function lookLater(): void {
    timer = setTimeout(async () => {
      // A store that does not answer is asked again.
      await look().catch(() => undefined)
      timer = undefined
      if (watched.size > 0) lookLater()
    }, lookMs)
    // Only Node has it: elsewhere a timer keeps nothing alive.
    timer.unref?.()
  }

  return {
    /** Adds a reply until the result is called. `cancel` is called when it is cancelled. */
    watch(reply: WatchedReply, cancel: () => void): () => void {
      watched.set(reply, cancel)
      if (timer === undefined) lookLater()
      return () => void watched.delete(reply)
    },
    /** Cancels what is answered in a conversation or thread: at once, or by a wish that its process finds in a second. */
    async cancel(
      { tenant }: Pick<ThreadKey, 'tenant'>,
      thread: CancelledThread,
    ): Promise<'done' | 'asked' | undefined> {
      if (abortIn(tenant, thread)) return 'done'
      const [info] = await store.conversations(tenant, { only: thread.conversation, limit: 1 })
      const threads = (info?.threads ?? [])
        .filter(one => isMeant(one, thread))
        .slice(0, mostThreads)
      let isAsked = false
      for (const { actor, branch } of threads) {
        const key = { tenant, conversation: thread.conversation, actor, branch }
        const { open } = (await store.head(key)) ?? {}
        if (!open || open.expiresInMs === 0) continue
        const marks = [
          await markOf(thread.conversation),
          await tryMark(thread.conversation, open.lease),
        ]
        await store.saveMarks(
          key,
          marks.map(mark => ({ mark, at: open.first })),
        )
        isAsked = true
      }
      return isAsked ? 'asked' : undefined
    },
    /** Cancels one reply that this process gives. False if there is no such reply. */
    cancelReply: ({ tenant }: Pick<ThreadKey, 'tenant'>, id: string) =>
      abort(reply => reply.tenant === tenant && reply.id === id),
    close: () => clearTimeout(timer),
  }
}

const mostThreads = 200

const isMeant = (line: Partial<ThreadKey>, thread: CancelledThread): boolean =>
  (line.conversation ?? thread.conversation) === thread.conversation &&
  (thread.actor ?? line.actor) === line.actor &&
  (thread.branch === undefined || line.branch === undefined || thread.branch === line.branch)

/** The names of conversations may be longer than a mark. */
const markOf = async (conversation: string) => `cancel:${(await hashOf(conversation)).slice(0, 32)}`

/** A turn that is tried again is held with a higher epoch. */
const tryMark = async (conversation: string, { epoch }: Lease) =>
  `${await markOf(conversation)}.${epoch}`
