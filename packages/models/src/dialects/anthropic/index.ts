import type { Adapter } from '../adapter.ts'
import type { Dialect } from '../dialect.ts'
import { toError } from './faults.ts'
import { patch } from './patch.ts'
import { readRequest } from './read-request.ts'
import { streamEvents, toMessage } from './write-reply.ts'

/** `/v1/messages`. Reads the bodies of `/v1/messages/count_tokens` too. */
export const messagesAdapter: Adapter = {
  name: 'messages',
  form: 'messages',
  streamType: 'text/event-stream',
  read: (body, _, isOwnForm) => readRequest(body, isOwnForm),
  stream: streamEvents,
  whole: toMessage,
  fault: (fault, requestId) => ({
    status: fault.code === 'context_too_long' ? 400 : fault.status,
    body: { ...toError(fault), request_id: requestId },
  }),
}

export const anthropicDialect = {
  spoken: { form: 'messages', server: 'anthropic', patch },
  adapters: { '/v1/messages': messagesAdapter },
  isOf: path => /^\/v1\/messages(?:$|\/)/.test(path),
  errors: messagesAdapter,
} as const satisfies Dialect
