import type { Face } from '../face.ts'
import { toOpenAiError } from '../openai-error.ts'
import { readRequest } from './read-request.ts'
import { streamEvents } from './stream-events.ts'
import { toResponse } from './to-response.ts'

/**
 * `/v1/responses`. The server may add the wish `isCodex`: Codex takes an incomplete response for a failure and asks
 * again, so a reply that was cut by its length is a complete one for it.
 */
export const responsesFace: Face = {
  name: 'responses',
  streamType: 'text/event-stream',
  read: readRequest,
  stream: streamEvents,
  whole: toResponse,
  fault: toOpenAiError,
}
