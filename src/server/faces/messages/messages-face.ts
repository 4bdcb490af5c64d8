import type { Face } from '../face.ts'
import { readRequest } from './read-request.ts'
import { streamEvents, toError, toMessage } from './write-reply.ts'

/** `/v1/messages`. Reads the bodies of `/v1/messages/count_tokens` too. */
export const messagesFace: Face = {
  name: 'messages',
  form: 'messages',
  streamType: 'text/event-stream',
  read: readRequest,
  stream: streamEvents,
  whole: toMessage,
  fault: (fault, requestId) => ({
    status: fault.code === 'context_too_long' ? 400 : fault.status,
    body: { ...toError(fault), request_id: requestId },
  }),
}

/** The answer of `/v1/messages/count_tokens`. */
export const toTokenCount = (tokens: number) => ({ input_tokens: tokens })
