import {
  type Fields,
  optional,
  readBody,
  readFields,
  readFlag,
  readJsonFields,
  readList,
  readText,
  refuse,
} from '../../../log/fields.ts'
import { present } from '../../../log/present.ts'
import type { ModelSettings } from '../../../models/model.ts'
import type { ChatRequest } from '../face.ts'
import { marksCache } from '../marks-cache.ts'
import { readProvider, readSampling } from '../read-settings.ts'
import { toolReader, toToolSpec } from '../read-tools.ts'
import { readMessages } from './read-messages.ts'
import { readTexts } from './read-parts.ts'

/** Reads the body of `/v1/messages`. */
export function readRequest(value: unknown): ChatRequest {
  const body = readBody(value)
  const metadata = optional(body.metadata, 'metadata', readFields) ?? {}
  const user = optional(metadata.user_id, 'metadata.user_id', readText)
  return {
    model: readText(body.model, 'model'),
    ...readMessages(readSystem(body.system), readList(body.messages, 'messages')),
    ...(marksCache(body.system) && { marksCache: true }),
    tools: readTools(body.tools),
    settings: readSettings(body),
    stream: optional(body.stream, 'stream', readFlag) ?? false,
    named: { ...(user !== undefined && { user }) },
    hints: {},
  }
}

/** The texts of the system prompt, without the block that Claude Code changes with each request: it would break the prefix. */
function readSystem(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return readTexts(value, 'system').filter(text => !text.startsWith('x-anthropic-billing-header:'))
}

/** Reads the client's own tools. Those that Anthropic runs or knows (`web_search_20250305`) have no schema, and are left out. */
const readTools = toolReader((tool, where) =>
  (tool.type ?? 'custom') === 'custom' ? [toToolSpec(tool, where, 'input_schema')] : [],
)

function readSettings(body: Fields): ModelSettings {
  const { top_p, top_k } = body
  const config = optional(body.output_config, 'output_config', readFields) ?? {}
  const { type } = optional(body.thinking, 'thinking', readFields) ?? {}
  return present({
    ...readSampling(body, { maxTokens: ['max_tokens'], stop: 'stop_sequences' }),
    format: readFormat(optional(config.format, 'output_config.format', readFields) ?? {}),
    // Switched on it is left unset: models that think then do so, and Ollama refuses the wish for all others.
    thinking: type === 'disabled' ? false : undefined,
    provider: readProvider({ top_p, top_k, ...readToolChoice(body.tool_choice) }),
  })
}

function readFormat({ type, schema }: Fields): ModelSettings['format'] {
  return type === 'json_schema' ? readJsonFields(schema, 'output_config.format.schema') : undefined
}

/** The choice of tools in OpenAI's words. */
function readToolChoice(value: unknown): Fields {
  const choice = optional(value, 'tool_choice', readFields)
  if (!choice) return {}
  const single = optional(choice.disable_parallel_tool_use, 'tool_choice.disable_parallel_tool_use', readFlag)
  return { tool_choice: toChoice(choice), ...(single && { parallel_tool_calls: false }) }
}

function toChoice({ type, name }: Fields): unknown {
  switch (type) {
    case 'auto':
    case 'none':
      return type
    case 'any':
      return 'required'
    case 'tool':
      return { type: 'function', function: { name: readText(name, 'tool_choice.name') } }
    default:
      return refuse('tool_choice.type', 'must be "auto", "any", "tool" or "none"')
  }
}
