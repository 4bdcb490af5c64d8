import type { Adapter } from '../adapter.ts'
import type { Dialect } from '../dialect.ts'
import { toOpenAiError } from '../openai-error.ts'
import { chatPatch } from '../patch.ts'
import { readRequest } from './read-request.ts'
import { streamChunks, toCompletion } from './write-reply.ts'

/** `/v1/chat/completions`. */
export const openaiAdapter: Adapter = {
  name: 'openai',
  form: 'chat',
  streamType: 'text/event-stream',
  read: (body, _, isOwnForm) => readRequest(body, isOwnForm),
  stream: streamChunks,
  whole: toCompletion,
  fault: toOpenAiError,
}

export const openaiDialect = {
  spoken: { form: 'chat', server: 'openai', patch: chatPatch },
  adapters: { '/v1/chat/completions': openaiAdapter },
  isOf: path => path.startsWith('/v1/'),
  errors: openaiAdapter,
} as const satisfies Dialect
