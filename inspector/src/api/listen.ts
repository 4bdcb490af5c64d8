import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'
import { askEvents } from './client.ts'
import { connection, noteAway } from './connection.ts'
import { conversationsQuery, inConversation } from './queries.ts'
import type { Answer } from './routes.ts'

/**
 * Hears what is written, and brings what was read up to date. Goes on until it is stopped: a server that is away is asked
 * again, more and more seldom.
 */
export function listen(client: QueryClient): () => void {
  const leaving = new AbortController()
  const { signal } = leaving
  void (async () => {
    let lastEventId: string | undefined
    for (let failures = 0; !signal.aborted; ) {
      try {
        for await (const { id, data } of askEvents('get /events', { signal, lastEventId })) {
          failures = 0
          lastEventId = id
          take(client, data)
        }
        if (!signal.aborted) noteAway()
      } catch (error) {
        // Without the right to listen there are no events; everything else can still be read.
        if (error instanceof ApiError && [401, 403].includes(error.status)) return
        if (!signal.aborted) noteAway()
      }
      failures += 1
      await pause(Math.min(500 * 2 ** failures, 10_000), signal)
    }
  })()
  return () => leaving.abort()
}

type FeedEvent = Answer<'get /events'>
type Conversations = InfiniteData<Answer<'get /conversations'>>

function take(client: QueryClient, event: FeedEvent): void {
  switch (event.type) {
    case 'ready': {
      const wasAway = connection.get().state === 'away'
      connection.set({ state: 'live' })
      // What failed while the server was away, or changed without being told.
      if (wasAway) void client.invalidateQueries()
      return
    }
    case 'written':
      client.setQueryData(
        conversationsQuery.queryKey,
        (known: Conversations | undefined) => known && withWritten(known, event),
      )
      later(client, inConversation(event.conversation))
      later(client, conversationsQuery.queryKey)
      return
    case 'deleted':
      client.removeQueries({ queryKey: inConversation(event.conversation) })
      void client.invalidateQueries({ queryKey: conversationsQuery.queryKey })
      return
    case 'reset':
      void client.invalidateQueries()
  }
}

const stale = new Map<string, readonly unknown[]>()

/** The writes of a quarter of a second are read again together: a reply writes often. */
function later(client: QueryClient, queryKey: readonly unknown[]): void {
  if (stale.size === 0)
    setTimeout(() => {
      const keys = [...stale.values()]
      stale.clear()
      for (const queryKey of keys) void client.invalidateQueries({ queryKey })
    }, 250)
  stale.set(JSON.stringify(queryKey), queryKey)
}

/** The list with what an event says: at once, before the list is read again. */
function withWritten(known: Conversations, event: Extract<FeedEvent, { type: 'written' }>): Conversations {
  return {
    ...known,
    pages: known.pages.map(page => ({
      ...page,
      conversations: page.conversations.map(one =>
        one.conversation === event.conversation
          ? { ...one, updatedAt: event.updatedAt, threads: event.threads }
          : one,
      ),
    })),
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
    retryNow.add(done)
    function done() {
      clearTimeout(timer)
      retryNow.delete(done)
      resolve()
    }
  })
}

const retryNow = new Set<() => void>()

/** Asks a server that is away at once. */
export function tryNow(): void {
  for (const go of retryNow) go()
}
