import {
  type Fields,
  optional,
  readBody,
  readFields,
  readFlag,
  readJsonFields,
  readList,
  readNumber,
  readText,
  readWhole,
  refuse,
} from '../../../log/fields.ts'
import { present } from '../../../log/present.ts'
import type { ModelSettings } from '../../../models/model.ts'
import type { ChatRequest } from '../face.ts'
import { readEffort, readMaxTokens, readProvider, readStop } from '../read-settings.ts'
import { readFunctionTools } from '../read-tools.ts'
import { readMessages } from './read-messages.ts'

/** Reads the body of `/v1/chat/completions`. */
export function readRequest(value: unknown): ChatRequest {
  const body = readBody(value)
  const choices = optional(body.n, 'n', readWhole) ?? 1
  if (choices !== 1) refuse('n', 'must be 1: one answer is kept for each request')
  const options = optional(body.stream_options, 'stream_options', readFields) ?? {}
  const includeUsage = optional(options.include_usage, 'stream_options.include_usage', readFlag) ?? false
  return {
    model: readText(body.model, 'model'),
    ...readMessages(readList(body.messages, 'messages')),
    tools: readFunctionTools(body.tools),
    settings: readSettings(body),
    stream: optional(body.stream, 'stream', readFlag) ?? false,
    named: {},
    hints: { includeUsage },
  }
}

function readSettings(body: Fields): ModelSettings {
  const { max_completion_tokens: most, max_tokens: older } = body
  return present({
    temperature: optional(body.temperature, 'temperature', readNumber),
    maxTokens: readMaxTokens(most, 'max_completion_tokens') ?? readMaxTokens(older, 'max_tokens'),
    seed: optional(body.seed, 'seed', readWhole),
    stop: readStop(body.stop, 'stop'),
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
