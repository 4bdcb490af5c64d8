import { lastEventOf } from './event-stream.ts'
import { feedEvent } from './live/feeds.ts'
import { type ApiCall, defineRoute, findConversation } from './route.ts'

/** Live events: something was written, by this server or by another one on the same database. */
export const eventRoutes = [
  defineRoute('get', '/events', {
    scope: 'read',
    summary:
      'Tells when something is written to any conversation. `Last-Event-ID` tells what was missed.',
    kind: 'events',
    answer: feedEvent,
    handle: call => listen(call),
  }),
  defineRoute('get', '/conversations/:conversation/events', {
    scope: 'read',
    summary: 'Tells when something is written to one conversation.',
    kind: 'events',
    answer: feedEvent,
    async handle(call) {
      const { conversation } = call.params
      await findConversation(call.looking, conversation)
      return listen(call, conversation)
    },
  }),
]

function listen({ caller, has, looking, request, signal, parts }: ApiCall, conversation?: string) {
  return parts.feeds.listen(caller.tenant, {
    conversation,
    signal,
    person: looking.person,
    since: lastEventOf(request),
    mayInspect: has('inspect'),
  })
}
