import {
  type Fields,
  optional,
  readBody,
  readFields,
  readFlag,
  readJsonFields,
  readList,
  readText,
  readWhole,
} from '../../../log/fields.ts'
import { present } from '../../../log/present.ts'
import type { ModelSettings } from '../../../models/model.ts'
import type { ChatRequest } from '../face.ts'
import { leadMarksCache } from '../marks-cache.ts'
import { refuseElsewhere } from '../own-form.ts'
import { readChatMessages } from '../read-chat-messages.ts'
import { readEffort, readProvider, readSampling } from '../read-settings.ts'
import { readFunctionTools } from '../read-tools.ts'

/** Reads the body of `/v1/chat/completions`. */
export function readRequest(value: unknown): ChatRequest {
  const body = readBody(value)
  const choices = optional(body.n, 'n', readWhole) ?? 1
  if (choices !== 1) refuseElsewhere('n', 'must be 1: one answer is kept for each request')
  const options = optional(body.stream_options, 'stream_options', readFields) ?? {}
  const includeUsage = optional(options.include_usage, 'stream_options.include_usage', readFlag) ?? false
  const messages = readList(body.messages, 'messages')
  return {
    model: readText(body.model, 'model'),
    ...readChatMessages(messages),
    ...(leadMarksCache(messages) && { marksCache: true }),
    tools: readFunctionTools(body.tools),
    settings: readSettings(body),
    stream: optional(body.stream, 'stream', readFlag) ?? false,
    named: present({ user: optional(body.user, 'user', readText) }),
    hints: { includeUsage },
  }
}

function readSettings(body: Fields): ModelSettings {
  return present({
    ...readSampling(body, { maxTokens: ['max_completion_tokens', 'max_tokens'] }),
    format: readFormat(optional(body.response_format, 'response_format', readFields) ?? {}),
    thinking: readEffort(body.reasoning_effort, 'reasoning_effort'),
    provider: readProvider(body),
  })
}

function readFormat({ type, json_schema: held }: Fields): ModelSettings['format'] {
  if (type === 'json_object') return 'json'
  if (type !== 'json_schema') return undefined
  const { schema } = readFields(held, 'response_format.json_schema')
  return optional(schema, 'response_format.json_schema.schema', readJsonFields) ?? 'json'
}
