import { readBody } from '@throughline/core/fields'
import type { Adapter } from '../adapter.ts'
import type { Dialect } from '../dialect.ts'
import { toOpenAiError } from '../openai-error.ts'
import { rareKinds } from './offered-tools.ts'
import { patch } from './patch.ts'
import { readRequest } from './read-request.ts'
import { toResponse } from './to-response.ts'
import { streamEvents } from './write-reply.ts'

/** `/v1/responses`. Codex takes an incomplete response for a failure: a reply cut by its length is a complete one for it. */
export const responsesAdapter: Adapter = {
  name: 'responses',
  form: 'responses',
  field: 'input',
  streamType: 'text/event-stream',
  read(body, headers = {}, isOwnForm) {
    const request = readRequest(body, isOwnForm)
    return isCodex(headers) ? { ...request, hints: { ...request.hints, isCodex: true } } : request
  },
  rareKinds,
  stream: streamEvents,
  whole: toResponse,
  fault: toOpenAiError,
}

/** Whether the headers are those of Codex: its terminal, its editors and its programs name themselves alike. */
function isCodex(headers: Readonly<Record<string, string | undefined>>): boolean {
  return (
    /^codex[_-]/.test(headers.originator ?? '') || /^codex[_-]/.test(headers['user-agent'] ?? '')
  )
}

/** `/v1/responses/compact`: the list of a client is to be compacted. */
export const compactAdapter: Adapter = {
  ...responsesAdapter,
  read(body, headers, isOwnForm) {
    const fields = readBody(body)
    const whole = { ...fields, input: fields.input ?? [] }
    const request = responsesAdapter.read(whole, headers, isOwnForm)
    return { ...request, hints: { ...request.hints, compaction: 'address' } }
  },
}

export const responsesDialect = {
  spoken: { form: 'responses', server: 'openai', patch },
  adapters: { '/v1/responses': responsesAdapter, '/v1/responses/compact': compactAdapter },
  isOf: path => /^\/v1\/(?:responses|conversations)(?:$|\/)/.test(path),
  errors: responsesAdapter,
} as const satisfies Dialect
