import { type Fields, isFields, read, refuse } from '@throughline/core/fields'
import { present } from '@throughline/core/values'
import type { ModelSettings } from '../../model.ts'
import type { ChatRequest } from '../adapter.ts'
import { marksCache } from '../message-list.ts'
import { readProvider, readSampling } from '../read-settings.ts'
import { toolReader, toToolSpec } from '../read-tools.ts'
import { readMessages, readTexts } from './read-messages.ts'

export function readRequest(value: unknown, isOwnForm = false): ChatRequest {
  const body = read.body(value)
  const metadata = read.optional(body.metadata, 'metadata', read.fields) ?? {}
  const user = read.optional(metadata.user_id, 'metadata.user_id', read.text)
  return {
    model: read.text(body.model, 'model'),
    ...readMessages(
      readSystem(body.system, isOwnForm),
      read.list(body.messages, 'messages'),
      isOwnForm,
    ),
    ...(marksCache(body.system) && { marksCache: true }),
    tools: readTools(body.tools, isOwnForm),
    ...(!isOwnForm && readLeftOut(body.tools)),
    settings: readSettings(body, isOwnForm),
    stream: read.optional(body.stream, 'stream', read.flag) ?? false,
    named: { user },
    hints: {},
  }
}

/** The texts of the system prompt, without the block that Claude Code changes with each request: it would break the prefix. */
function readSystem(value: unknown, isOwnForm: boolean): readonly string[] {
  if (typeof value === 'string') return [value]
  return readTexts(value, 'system', isOwnForm).filter(
    text => !text.startsWith('x-anthropic-billing-header:'),
  )
}

/** Reads the client's own tools. Tools that Anthropic runs or knows (`web_search_20250305`) have no schema. */
const readTools = toolReader((tool, where, isOwnForm) => {
  const { type = 'custom' } = tool
  if (type === 'custom' || type === null) return [toToolSpec(tool, where, 'input_schema')]
  if (isOwnForm) return [{ name: read.text(type, `${where}.type`), parameters: tool }]
  if (!runsAtAnthropic(type))
    refuse(`${where}.type`, 'is a kind of tool that this model server does not know: leave it out')
  return []
})

/** Kinds of tools that Anthropic runs itself: other upstreams cannot be sent them. */
const runsAtAnthropic = (type: unknown): type is string =>
  typeof type === 'string' &&
  /^(?:web_search|web_fetch|code_execution|tool_search_tool|mcp_toolset)(?:_\w{1,60})?$/.test(type)

function readLeftOut(tools: unknown): Pick<ChatRequest, 'leftOut'> {
  if (!Array.isArray(tools)) return {}
  const leftOut = [
    ...new Set(tools.map(tool => (isFields(tool) ? tool.type : undefined)).filter(runsAtAnthropic)),
  ]
  return leftOut.length > 0 ? { leftOut } : {}
}

function readSettings(body: Fields, isOwnForm: boolean): ModelSettings {
  const { top_p, top_k } = body
  const config = read.optional(body.output_config, 'output_config', read.fields) ?? {}
  const { type } = read.optional(body.thinking, 'thinking', read.fields) ?? {}
  return present({
    ...readSampling(body, { maxTokens: ['max_tokens'], stop: 'stop_sequences', isOwnForm }),
    format: readFormat(read.optional(config.format, 'output_config.format', read.fields) ?? {}),
    // Switched on it is left unset: models that think then do so, and Ollama refuses the wish for all others.
    thinking: type === 'disabled' ? false : undefined,
    provider: readProvider({ top_p, top_k, ...readToolChoice(body.tool_choice) }),
  })
}

function readFormat({ type, schema }: Fields): ModelSettings['format'] {
  return type === 'json_schema' ? read.jsonFields(schema, 'output_config.format.schema') : undefined
}

function readToolChoice(value: unknown): Fields {
  const choice = read.optional(value, 'tool_choice', read.fields)
  if (!choice) return {}
  const field = 'disable_parallel_tool_use'
  const single = read.optional(choice[field], `tool_choice.${field}`, read.flag)
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
      return { type: 'function', function: { name: read.text(name, 'tool_choice.name') } }
    default:
      return refuse('tool_choice.type', 'must be "auto", "any", "tool" or "none"')
  }
}
