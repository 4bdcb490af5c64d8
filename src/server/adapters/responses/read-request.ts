import {
  type Fields,
  optional,
  readBody,
  readEach,
  readFields,
  readFlag,
  readJson,
  readJsonFields,
  readList,
  readMetadata,
  readText,
  readWhole,
  refuse,
} from '../../../log/fields.ts'
import { present } from '../../../log/present.ts'
import type { ModelSettings, ToolSpec } from '../../../models/model.ts'
import type { ChatRequest, NamedPlace } from '../adapter.ts'
import { refuseElsewhere } from '../own-form.ts'
import { readEffort, readProvider, readSampling } from '../read-settings.ts'
import { toToolSpec } from '../read-tools.ts'
import { flatName, type NamespacedTool, type ResponsesHints } from './hints.ts'
import { replyOfResponse } from './item-id.ts'
import { readInput } from './read-input.ts'

export function readRequest(value: unknown): ChatRequest {
  const body = readBody(value)
  if (optional(body.background, 'background', readFlag))
    refuse('background', 'must be false: ask for a stream')
  if (optional(body.prompt, 'prompt', readFields))
    refuseElsewhere('prompt', 'is not known here: send its text as "input"')
  const instructions = optional(body.instructions, 'instructions', readText) ?? ''
  const { references, past, isWished, ...read } = readInput(body.input, instructions)
  const { tools, namespaced } = readTools(body.tools)
  const include = optional(body.include, 'include', readList) ?? []
  const hints: ResponsesHints = {
    echo: echoOf(body),
    isThoughtKept: include.includes('reasoning.encrypted_content'),
    namespaced,
  }
  return {
    model: readText(body.model, 'model'),
    ...read,
    tools,
    settings: readSettings(body, include.includes('message.output_text.logprobs')),
    stream: optional(body.stream, 'stream', readFlag) ?? false,
    named: {
      ...readPlace(body),
      ...present({ user: optional(body.user, 'user', readText) }),
      ...(references.length > 0 && { references }),
      ...(past && { past }),
    },
    hints: { ...hints, ...(isWished && { compaction: 'item' }) },
  }
}

function readPlace(body: Fields): NamedPlace {
  const previous = optional(body.previous_response_id, 'previous_response_id', readText)
  const conversation = optional(body.conversation, 'conversation', readConversation)
  if (previous && conversation) refuse('previous_response_id', 'and "conversation" exclude each other')
  return {
    ...(previous && { previous: replyOfResponse(previous) }),
    ...(conversation && { conversation }),
    isStored: optional(body.store, 'store', readFlag) ?? true,
  }
}

function readConversation(value: unknown, field: string): string {
  return typeof value === 'string' ? value : readText(readFields(value, field).id, `${field}.id`)
}

function readSettings(body: Fields, isLogprobs: boolean): ModelSettings {
  const { format, verbosity } = optional(body.text, 'text', readFields) ?? {}
  const { effort } = optional(body.reasoning, 'reasoning', readFields) ?? {}
  const alternatives = optional(body.top_logprobs, 'top_logprobs', readWhole) ?? 0
  return present({
    ...readSampling(body, { maxTokens: ['max_output_tokens'] }),
    format: readFormat(optional(format, 'text.format', readFields) ?? {}),
    thinking: readEffort(effort, 'reasoning.effort'),
    provider: readProvider({
      top_p: body.top_p,
      parallel_tool_calls: body.parallel_tool_calls,
      tool_choice: readToolChoice(body.tool_choice),
      verbosity: optional(verbosity, 'text.verbosity', readText),
      ...((isLogprobs || alternatives > 0) && { logprobs: true, top_logprobs: alternatives }),
    }),
  })
}

function readFormat({ type, schema }: Fields): ModelSettings['format'] {
  if (type === 'json_object') return 'json'
  return type === 'json_schema' ? readJsonFields(schema, 'text.format.schema') : undefined
}

/** The choice of tools in the words of chat completions. Tools that run at OpenAI cannot be chosen. */
function readToolChoice(value: unknown): unknown {
  if (typeof value === 'string') return value
  const { type, name, mode } = optional(value, 'tool_choice', readFields) ?? {}
  if (type === 'function') return { type, function: { name: readText(name, 'tool_choice.name') } }
  return type === 'allowed_tools' ? mode : undefined
}

/** The fields that a response repeats, with OpenAI's defaults. */
function echoOf(body: Fields): Fields {
  const as = (name: string, other: unknown) => optional(body[name], name, readJson) ?? other
  const reasoning = optional(body.reasoning, 'reasoning', readJsonFields) ?? {}
  const conversation = optional(body.conversation, 'conversation', readConversation)
  return {
    background: false,
    ...(conversation !== undefined && { conversation: { id: conversation } }),
    instructions: as('instructions', null),
    max_output_tokens: as('max_output_tokens', null),
    max_tool_calls: as('max_tool_calls', null),
    metadata: optional(body.metadata, 'metadata', readMetadata) ?? {},
    parallel_tool_calls: as('parallel_tool_calls', true),
    previous_response_id: as('previous_response_id', null),
    prompt_cache_key: as('prompt_cache_key', null),
    reasoning: { effort: null, summary: null, ...reasoning },
    safety_identifier: as('safety_identifier', null),
    service_tier: 'default',
    store: as('store', true),
    temperature: as('temperature', null),
    text: as('text', { format: { type: 'text' } }),
    tool_choice: as('tool_choice', 'auto'),
    tools: as('tools', []),
    top_logprobs: as('top_logprobs', 0),
    top_p: as('top_p', null),
    truncation: as('truncation', 'disabled'),
    user: as('user', null),
  }
}

/** Reads the functions among the tools, also those in namespaces. Tools that run at OpenAI are left out. */
export function readTools(value: unknown): {
  readonly tools: readonly ToolSpec[]
  readonly namespaced: Readonly<Record<string, NamespacedTool>>
} {
  const tools: ToolSpec[] = []
  const namespaced = new Map<string, NamespacedTool>()
  readEach(value, 'tools', (tool, where) => {
    if (tool.type === 'function') tools.push(toToolSpec(tool, where))
    if (tool.type !== 'namespace') return
    const namespace = readText(tool.name, `${where}.name`)
    readEach(tool.tools, `${where}.tools`, (inner, place) => {
      if (inner.type !== 'function') return
      const spec = toToolSpec(inner, place)
      const held = { namespace, name: spec.name }
      namespaced.set(flatName(held), held)
      tools.push({ ...spec, name: flatName(held) })
    })
  })
  return { tools, namespaced: Object.fromEntries(namespaced) }
}
