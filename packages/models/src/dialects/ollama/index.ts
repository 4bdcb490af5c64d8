import type { Adapter } from '../adapter.ts'
import type { Dialect } from '../dialect.ts'
import { toError } from './faults.ts'
import { patch } from './patch.ts'
import { readGenerate, readRequest } from './read-request.ts'
import { streamLines, toAnswer, toGenerated } from './write-reply.ts'

/** `/api/chat`. */
export const ollamaAdapter: Adapter = {
  name: 'ollama',
  form: 'ollama',
  streamType: 'application/x-ndjson',
  read: (body, _, isOwnForm) => readRequest(body, isOwnForm),
  stream: start => streamLines(start),
  whole: toAnswer,
  fault: fault => ({
    status: fault.code === 'context_too_long' ? 400 : fault.status,
    body: toError(fault),
  }),
}

export const generateAdapter: Adapter = {
  ...ollamaAdapter,
  read: (body, _, isOwnForm) => readGenerate(body, isOwnForm),
  stream: start => streamLines(start, toGenerated),
  whole: (start, end) => toGenerated(toAnswer(start, end)),
}

export const ollamaDialect = {
  spoken: { form: 'ollama', server: 'ollama', patch },
  adapters: { '/api/chat': ollamaAdapter },
  // What no other form claims is worded as Ollama does.
  isOf: () => true,
  errors: ollamaAdapter,
} as const satisfies Dialect
