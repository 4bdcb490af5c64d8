import type { Query, QueryClient } from '@tanstack/react-query'
import { askEvents } from './client.ts'
import { connection, noteAway } from './connection.ts'
import { dropConversation, refreshConversations, restartList } from './conversation-list.ts'
import { experimentActor, experimentsQuery } from './experiment-queries.ts'
import { keepListening } from './keep-listening.ts'
import { inConversation } from './queries.ts'
import type { AnswerOf } from './routes.ts'
import { momentKey } from './timeline.ts'

/**
 * Hears what is written, and brings what was read up to date. Goes on until it is stopped: a server that is away is asked
 * again, more and more seldom.
 */
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
      // What failed while the server was away, or changed without being told.
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

/** The writes of a quarter of a second are read again together: a reply writes often. */
function later(client: QueryClient, event: WriteEvent): void {
  if (pendingWrites.size === 0)
    setTimeout(() => {
      const events = [...pendingWrites.values()]
      pendingWrites.clear()
      for (const { conversation } of events)
        void client.invalidateQueries({ queryKey: inConversation(conversation) })
      void refreshConversations(
        client,
        events.map(({ conversation }) => conversation),
      )
      if (events.some(({ threads }) => threads.some(({ actor }) => actor === experimentActor)))
        void client.invalidateQueries({ queryKey: experimentsQuery.queryKey })
    }, 250)
  pendingWrites.set(event.conversation, event)
}
