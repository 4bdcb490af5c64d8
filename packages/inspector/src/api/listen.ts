import type { Query } from '@tanstack/react-query'
import { type AnswerOf, askEvents, queryClient } from './client.ts'
import { connection, keepListening, noteAway } from './connection.ts'
import { dropConversation, refreshConversations, restartList } from './conversation-list.ts'
import { experimentActor, experimentsQuery } from './experiment-queries.ts'
import { inConversation } from './queries.ts'
import { momentKey } from './timeline.ts'

/** Follows the events of the server and refreshes stale queries, until it is stopped. Retries with growing pauses. */
export function listen(): () => void {
  return keepListening(options => askEvents('get /events', options), {
    take: take,
    onBroken: noteAway,
  })
}

type FeedEvent = AnswerOf<'get /events'>

function take(event: FeedEvent): void {
  switch (event.type) {
    case 'ready': {
      const wasAway = connection.get().state === 'away'
      connection.set({ state: 'live' })
      // Queries may have failed or become stale while the server was away.
      if (wasAway) readAgain()
      return
    }
    case 'written':
      later(event)
      return
    case 'deleted':
      queryClient.removeQueries({ queryKey: inConversation(event.conversation) })
      dropConversation(event.conversation)
      // Contexts of other conversations may have quoted it.
      void queryClient.invalidateQueries({ predicate: isMoment })
      void queryClient.invalidateQueries({ queryKey: experimentsQuery.queryKey })
      return
    case 'reset':
      readAgain()
  }
}

const isMoment = ({ queryKey }: Pick<Query, 'queryKey'>) => queryKey.includes(momentKey)

function readAgain(): void {
  restartList()
  void queryClient.invalidateQueries()
}

type WriteEvent = Extract<FeedEvent, { readonly type: 'written' }>

const pendingWrites = new Map<string, WriteEvent>()

/** Refreshes once for all writes of 250 ms: a reply writes often. */
function later(event: WriteEvent): void {
  if (pendingWrites.size === 0)
    setTimeout(() => {
      const [names, events] = [[...pendingWrites.keys()], [...pendingWrites.values()]]
      pendingWrites.clear()
      for (const name of names)
        void queryClient.invalidateQueries({ queryKey: inConversation(name) })
      void refreshConversations(names)
      if (events.some(({ threads }) => threads.some(({ actor }) => actor === experimentActor)))
        void queryClient.invalidateQueries({ queryKey: experimentsQuery.queryKey })
    }, 250)
  pendingWrites.set(event.conversation, event)
}
