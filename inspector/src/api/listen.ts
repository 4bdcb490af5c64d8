import type { Query, QueryClient } from '@tanstack/react-query'
import { askEvents } from './client.ts'
import { connection, noteAway } from './connection.ts'
import { dropConversation, refreshConversations, restartList } from './conversation-list.ts'
import { experimentActor, experimentsQuery } from './experiment-queries.ts'
import { keepListening } from './keep-listening.ts'
import { inConversation } from './queries.ts'
import type { AnswerOf } from './routes.ts'
import { momentKey } from './timeline.ts'

/** Follows the events of the server and refreshes stale queries, until it is stopped. Retries with growing pauses. */
export function listen(client: QueryClient): () => void {
  return keepListening(options => askEvents('get /events', options), {
    take: event => take(client, event),
    onBroken: noteAway,
  })
}

type FeedEvent = AnswerOf<'get /events'>

function take(client: QueryClient, event: FeedEvent): void {
  switch (event.type) {
    case 'ready': {
      const wasAway = connection.get().state === 'away'
      connection.set({ state: 'live' })
      // Queries may have failed or become stale while the server was away.
      if (wasAway) readAgain(client)
      return
    }
    case 'written':
      later(client, event)
      return
    case 'deleted':
      client.removeQueries({ queryKey: inConversation(event.conversation) })
      dropConversation(client, event.conversation)
      // Contexts of other conversations may have quoted it.
      void client.invalidateQueries({ predicate: isMoment })
      void client.invalidateQueries({ queryKey: experimentsQuery.queryKey })
      return
    case 'reset':
      readAgain(client)
  }
}

const isMoment = ({ queryKey }: Pick<Query, 'queryKey'>) => queryKey.includes(momentKey)

function readAgain(client: QueryClient): void {
  restartList(client)
  void client.invalidateQueries()
}

type WriteEvent = Extract<FeedEvent, { readonly type: 'written' }>

const pendingWrites = new Map<string, WriteEvent>()

/** Refreshes once for all writes of 250 ms: a reply writes often. */
function later(client: QueryClient, event: WriteEvent): void {
  if (pendingWrites.size === 0)
    setTimeout(() => {
      const [names, events] = [[...pendingWrites.keys()], [...pendingWrites.values()]]
      pendingWrites.clear()
      for (const name of names) void client.invalidateQueries({ queryKey: inConversation(name) })
      void refreshConversations(client, names)
      if (events.some(({ threads }) => threads.some(({ actor }) => actor === experimentActor)))
        void client.invalidateQueries({ queryKey: experimentsQuery.queryKey })
    }, 250)
  pendingWrites.set(event.conversation, event)
}
