import { type Fields, read } from '@throughline/core/fields'
import { present } from '@throughline/core/values'
import type { ModelSettings } from '../../model.ts'
import type { ChatRequest } from '../adapter.ts'
import { leadMarksCache } from '../message-list.ts'
import { refuseElsewhere } from '../own-form.ts'
import { readChatMessages } from '../read-chat-messages.ts'
import { readEffort, readProvider, readSampling } from '../read-settings.ts'
import { readFunctionTools } from '../read-tools.ts'

export function readRequest(value: unknown, isOwnForm = false): ChatRequest {
  const body = read.body(value)
  const choices = read.optional(body.n, 'n', read.whole) ?? 1
  if (choices !== 1)
    refuseElsewhere(isOwnForm, 'n', 'must be 1: one answer is kept for each request')
  const { include_usage } = read.optional(body.stream_options, 'stream_options', read.fields) ?? {}
  const includeUsage =
    read.optional(include_usage, 'stream_options.include_usage', read.flag) ?? false
  const messages = read.list(body.messages, 'messages')
  return {
    model: read.text(body.model, 'model'),
    ...readChatMessages(messages),
    ...(leadMarksCache(messages) && { marksCache: true }),
    tools: readFunctionTools(body.tools, isOwnForm),
    settings: readSettings(body, isOwnForm),
    stream: read.optional(body.stream, 'stream', read.flag) ?? false,
    named: present({ user: read.optional(body.user, 'user', read.text) }),
    hints: { includeUsage },
  }
}

function readSettings(body: Fields, isOwnForm: boolean): ModelSettings {
  return present({
    ...readSampling(body, { maxTokens: ['max_completion_tokens', 'max_tokens'], isOwnForm }),
    format: readFormat(read.optional(body.response_format, 'response_format', read.fields) ?? {}),
    thinking: readEffort(body.reasoning_effort, 'reasoning_effort'),
    provider: readProvider(body),
  })
}

function readFormat({ type, json_schema: held }: Fields): ModelSettings['format'] {
  if (type === 'json_object') return 'json'
  if (type !== 'json_schema') return undefined
  const { schema } = read.fields(held, 'response_format.json_schema')
  return read.optional(schema, 'response_format.json_schema.schema', read.jsonFields) ?? 'json'
}
