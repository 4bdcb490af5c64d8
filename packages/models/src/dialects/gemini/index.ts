import { BadRequestError } from '@throughline/core/errors'
import { read } from '@throughline/core/fields'
import { attempt } from '@throughline/core/values'
import type { Adapter } from '../adapter.ts'
import type { Dialect } from '../dialect.ts'
import { either } from './either-name.ts'
import { toError } from './faults.ts'
import { readRequest } from './read-request.ts'
import { streamParts, toAnswer, toAnswers } from './write-reply.ts'

/** `:generateContent`. Reads the bodies of `:countTokens` too. */
export const geminiAdapter: Adapter = {
  name: 'gemini',
  field: 'contents',
  streamType: 'text/event-stream',
  inAddress: ({ pathname, searchParams }) => ({
    model: modelAt(pathname),
    stream: pathname.endsWith(':streamGenerateContent') && searchParams.get('alt') === 'sse',
  }),
  read: readRequest,
  stream: streamParts,
  whole: toAnswer,
  fault: toError,
}

/** `:streamGenerateContent`. Without `alt=sse` its answer is a list of pieces: here of one. */
const streamingAdapter: Adapter = { ...geminiAdapter, whole: toAnswers }

/** Counts a body, or the request that a body holds. */
export const geminiCountAdapter: Adapter = {
  ...geminiAdapter,
  read(value) {
    const body = read.body(value)
    const inner = read.optional(
      either(body, 'generateContentRequest'),
      'generateContentRequest',
      read.fields,
    )
    return readRequest({ ...body, ...inner, model: body.model })
  },
}

export const geminiCountPath = '/v1beta/models/:call{.+:countTokens}'

/** The model of an address, as the client wrote it: with slashes, colons and escapes. */
function modelAt(path: string): string {
  const [, model] = /^\/v1(?:beta|alpha)?\/models\/(.+):[a-zA-Z]{1,40}$/.exec(path) ?? []
  if (model === undefined) throw new BadRequestError('The address names no model.', 'model')
  return attempt(() => decodeURIComponent(model), model)
}

export const geminiDialect = {
  adapters: {
    '/v1beta/models/:call{.+:generateContent}': geminiAdapter,
    '/v1beta/models/:call{.+:streamGenerateContent}': streamingAdapter,
  },
  isOf: path => path.startsWith('/v1beta/'),
  errors: geminiAdapter,
} as const satisfies Dialect
