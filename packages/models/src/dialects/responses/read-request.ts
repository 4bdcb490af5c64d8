import { type Fields, read, refuse } from '@throughline/core/fields'
import { present } from '@throughline/core/values'
import type { ModelSettings } from '../../model.ts'
import type { ChatRequest, NamedPlace } from '../adapter.ts'
import { refuseElsewhere } from '../own-form.ts'
import { readEffort, readProvider, readSampling } from '../read-settings.ts'
import { readName } from '../read-tools.ts'
import { replyOfResponse } from './ids.ts'
import { readOffered } from './offered-tools.ts'
import { readInput } from './read-input.ts'
import type { ResponsesHints } from './to-response.ts'
import { flatName } from './wire.ts'

export function readRequest(value: unknown, isOwnForm = false): ChatRequest {
  const body = read.body(value)
  if (read.optional(body.background, 'background', read.flag))
    refuse('background', 'must be false: ask for a stream')
  if (read.optional(body.prompt, 'prompt', read.fields))
    refuseElsewhere(isOwnForm, 'prompt', 'is not known here: send its text as "input"')
  const instructions = read.optional(body.instructions, 'instructions', read.text) ?? ''
  const {
    references,
    leftOut: items,
    past,
    isWished,
    ...input
  } = readInput(body.input, instructions, isOwnForm)
  const { tools, namespaced, callKinds, leftOut: kinds } = readOffered(body, isOwnForm)
  const leftOut = isOwnForm ? [] : [...kinds, ...items]
  const include = read.optional(body.include, 'include', read.list) ?? []
  const hints: ResponsesHints = {
    echo: echoOf(body),
    isThoughtKept: include.includes('reasoning.encrypted_content'),
    namespaced,
    ...(Object.keys(callKinds).length > 0 && { callKinds }),
  }
  return {
    model: read.text(body.model, 'model'),
    ...input,
    tools,
    settings: readSettings(body, {
      isLogprobs: include.includes('message.output_text.logprobs'),
      isOwnForm,
    }),
    stream: read.optional(body.stream, 'stream', read.flag) ?? false,
    named: {
      ...readPlace(body),
      user: read.optional(body.user, 'user', read.text),
      references: references.length > 0 ? references : undefined,
      past,
    },
    ...(leftOut.length > 0 && { leftOut }),
    hints: { ...hints, ...(isWished && { compaction: 'item' }) },
  }
}

function readPlace(body: Fields): NamedPlace {
  const previous = read.optional(body.previous_response_id, 'previous_response_id', read.text)
  const conversation = read.optional(body.conversation, 'conversation', readConversation)
  if (previous && conversation)
    refuse('previous_response_id', 'and "conversation" exclude each other')
  return {
    previous: previous ? replyOfResponse(previous) : undefined,
    conversation: conversation || undefined,
    isStored: read.optional(body.store, 'store', read.flag) ?? true,
  }
}

function readConversation(value: unknown, field: string): string {
  return typeof value === 'string' ? value : read.text(read.fields(value, field).id, `${field}.id`)
}

function readSettings(
  body: Fields,
  { isLogprobs, isOwnForm }: { readonly isLogprobs: boolean; readonly isOwnForm: boolean },
): ModelSettings {
  const { format, verbosity } = read.optional(body.text, 'text', read.fields) ?? {}
  const { effort } = read.optional(body.reasoning, 'reasoning', read.fields) ?? {}
  const alternatives = read.optional(body.top_logprobs, 'top_logprobs', read.whole) ?? 0
  return present({
    ...readSampling(body, { maxTokens: ['max_output_tokens'], isOwnForm }),
    format: readFormat(read.optional(format, 'text.format', read.fields) ?? {}),
    thinking: readEffort(effort, 'reasoning.effort'),
    provider: readProvider({
      top_p: body.top_p,
      parallel_tool_calls: body.parallel_tool_calls,
      tool_choice: readToolChoice(body.tool_choice),
      verbosity: read.optional(verbosity, 'text.verbosity', read.text),
      ...((isLogprobs || alternatives > 0) && { logprobs: true, top_logprobs: alternatives }),
    }),
  })
}

function readFormat({ type, schema }: Fields): ModelSettings['format'] {
  if (type === 'json_object') return 'json'
  return type === 'json_schema' ? read.jsonFields(schema, 'text.format.schema') : undefined
}

/** The choice of tools in the words of chat completions. Tools that run at OpenAI cannot be chosen. */
function readToolChoice(value: unknown): unknown {
  if (typeof value === 'string') return value
  const { type, name, namespace, mode } = read.optional(value, 'tool_choice', read.fields) ?? {}
  if (type === 'function' || type === 'custom') {
    const held = read.optional(namespace, 'tool_choice.namespace', read.text) ?? ''
    const chosen = flatName({ namespace: held, name: readName(name, 'tool_choice.name') })
    return { type: 'function', function: { name: chosen } }
  }
  return type === 'allowed_tools' ? mode : undefined
}

/** The fields that a response repeats, with OpenAI's defaults. */
function echoOf(body: Fields): Fields {
  const as = (name: string, other: unknown) => read.optional(body[name], name, read.json) ?? other
  const reasoning = read.optional(body.reasoning, 'reasoning', read.jsonFields) ?? {}
  const conversation = read.optional(body.conversation, 'conversation', readConversation)
  return {
    background: false,
    ...(conversation !== undefined && { conversation: { id: conversation } }),
    instructions: as('instructions', null),
    max_output_tokens: as('max_output_tokens', null),
    max_tool_calls: as('max_tool_calls', null),
    metadata: read.optional(body.metadata, 'metadata', read.metadata) ?? {},
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
