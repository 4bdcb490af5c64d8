import { findConversation } from './conversations.ts'
import { feedEvent } from './live/feeds.ts'
import { defineRoute } from './route.ts'
import { lastEventOf } from './server-event.ts'

/** Live events: something was written, by this server or by another one on the same database. */
export const eventRoutes = [
  defineRoute('get', '/events', {
    scope: 'read',
    summary: 'Tells when something is written to any conversation. `Last-Event-ID` tells what was missed.',
    kind: 'events',
    answer: feedEvent,
    handle: ({ caller: { tenant }, has, looking: { person }, request, signal, parts: { feeds } }) =>
      feeds.listen(tenant, { person, since: lastEventOf(request), mayInspect: has('inspect'), signal }),
  }),
  defineRoute('get', '/conversations/:conversation/events', {
    scope: 'read',
    summary: 'Tells when something is written to one conversation.',
    kind: 'events',
    answer: feedEvent,
    async handle({
      params: { conversation },
      caller: { tenant },
      has,
      looking,
      request,
      signal,
      parts: { feeds },
    }) {
      await findConversation(looking, conversation)
      const { person } = looking
      const since = lastEventOf(request)
      return feeds.listen(tenant, { conversation, person, since, mayInspect: has('inspect'), signal })
    },
  }),
]
