import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import { askEvents } from './client.ts'
import { connection, noteAway } from './connection.ts'
import { keepListening } from './keep-listening.ts'
import { conversationsQuery, experimentsQuery, inConversation } from './queries.ts'
import type { Answer } from './routes.ts'

/**
 * Hears what is written, and brings what was read up to date. Goes on until it is stopped: a server that is away is asked
 * again, more and more seldom.
 */
export function listen(client: QueryClient): () => void {
  return keepListening(asked => askEvents('get /events', asked), {
    take: event => take(client, event),
    onBroken: noteAway,
  })
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
      if (event.threads.some(({ actor }) => actor === experimentActor))
        later(client, experimentsQuery.queryKey)
      return
    case 'deleted':
      client.removeQueries({ queryKey: inConversation(event.conversation) })
      void client.invalidateQueries({ queryKey: conversationsQuery.queryKey })
      void client.invalidateQueries({ queryKey: experimentsQuery.queryKey })
      return
    case 'reset':
      void client.invalidateQueries()
  }
}

/** The thread that the experiment itself writes: a conversation with it is an experiment. */
const experimentActor = 'throughline:run'

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
