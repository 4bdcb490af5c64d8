import { readBody } from '../../../log/fields.ts'
import type { Face } from '../face.ts'
import { toOpenAiError } from '../openai-error.ts'
import { readRequest } from './read-request.ts'
import { streamEvents } from './stream-events.ts'
import { toResponse } from './to-response.ts'

/**
 * `/v1/responses`. Codex takes an incomplete response for a failure and asks again, so a reply that was cut by its length
 * is a complete one for it.
 */
export const responsesFace: Face = {
  name: 'responses',
  form: 'responses',
  field: 'input',
  streamType: 'text/event-stream',
  read(body, headers = {}) {
    const request = readRequest(body)
    return isCodex(headers) ? { ...request, hints: { ...request.hints, isCodex: true } } : request
  },
  stream: streamEvents,
  whole: toResponse,
  fault: toOpenAiError,
}

/** Whether the headers are those of Codex: its terminal, its editors and its programs name themselves alike. */
function isCodex(headers: Readonly<Record<string, string | undefined>>): boolean {
  return /^codex[_-]/.test(headers.originator ?? '') || /^codex[_-]/.test(headers['user-agent'] ?? '')
}

/** `/v1/responses/compact`: the list of a client is to be compacted. */
export const compactFace: Face = {
  ...responsesFace,
  read(body, headers) {
    const request = responsesFace.read({ input: [], ...readBody(body) }, headers)
    return { ...request, hints: { ...request.hints, compaction: 'address' } }
  },
}
