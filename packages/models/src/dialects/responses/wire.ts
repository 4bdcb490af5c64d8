import type { Fields } from '@throughline/core/fields'
import type { Role } from '@throughline/core/messages'
import { present } from '@throughline/core/values'
import { type EndReason, ModelError, type ModelPart, toUsage } from '../../model.ts'
import { type PairedMessage, resultFiles, withKeptBlocks, writeEach } from '../../pair-results.ts'
import { readFault } from '../../read-fault.ts'
import { isImage, type Media, sentFile } from '../../read-media.ts'
import { fieldsOf, listOf, readText, toDelta } from '../../read-text.ts'
import { type AskedServer, toStreamError } from '../../to-model-error.ts'
import type { Ask, Refusal, ReplyReader, ReplyWire } from '../../wire/wire.ts'

/** OpenAI's Responses: spoken only with clients that speak it themselves. */
export const responsesWire: ReplyWire = {
  form: 'responses',
  path: '/v1/responses',
  each: messages => writeEach(messages, { toReply, toResults: toOutputs, toFile, say }),
  piece: 'event',
  lastEvent: '[DONE]',
  read: responsesReader,
  readWhole: readResponse,
}

/**
 * Whether a server answers at `/v1/responses`. It is sent an empty body: who knows the address misses the model or the input,
 * and no model is asked. Throws if the answer tells neither, such as a key that is refused.
 */
export async function answersResponses(ask: Ask, signal: AbortSignal): Promise<boolean> {
  let refused: number | undefined
  const onRefused = ({ status }: Refusal) => {
    refused = status
  }
  try {
    await ask({ path: responsesWire.path, body: {}, signal, onRefused })
  } catch (error) {
    if (refused === 400 || refused === 422) return true
    const isAnswered = refused === undefined && error instanceof ModelError && !error.isRetryable
    if (!isAnswered && !withoutAddress.has(refused)) throw error
  }
  // Nothing is no request, so whoever answers it well does not know the address: LM Studio does so for all that it lacks.
  return false
}

const withoutAddress: ReadonlySet<number | undefined> = new Set([404, 405, 501])

function say(role: Role, text: string, files: readonly Fields[]): readonly Fields[] {
  const content = [...textParts(text), ...files]
  const sender = role === 'system' ? 'developer' : 'user'
  return content.length > 0 ? [{ type: 'message', role: sender, content }] : []
}

function toReply(paired: PairedMessage): readonly Fields[] {
  const { text } = paired.message
  const textParts = [{ type: 'output_text', text, annotations: [] }]
  const texts = text === '' ? [] : [{ type: 'message', role: 'assistant', content: textParts }]
  const called = paired.calls.map(({ key, name, arguments: json }) => ({
    ...{ type: 'function_call', call_id: key, name, arguments: json },
  }))
  return withKeptBlocks(paired, 'responses', [...texts, ...called], {
    textOf: items => textsOf(items, String).join('\n'),
    isCall,
  })
}

function toOutputs(paired: PairedMessage): readonly Fields[] {
  const files = resultFiles(paired, toFile)
  return paired.results.map(({ text, key }, at) => ({
    type: 'function_call_output',
    call_id: key,
    output: files[at]?.length ? [...textParts(text), ...files[at]] : text,
  }))
}

const textParts = (text: string): readonly Fields[] =>
  text === '' ? [] : [{ type: 'input_text', text }]

function toFile(file: Media, seq: number): Fields {
  const { url, filename } = sentFile(file, seq)
  if (isImage(file)) return { type: 'input_image', image_url: url }
  if (file.type === 'url') return { type: 'input_file', file_url: url }
  return { type: 'input_file', filename: filename ?? 'file', file_data: url }
}

/** Reads the events of `/v1/responses`, up to the one that ends the response. */
function responsesReader(server: AskedServer): ReplyReader {
  const items: Fields[] = []
  let ended: Fields | undefined
  let messages = 0
  let isOpening = true
  /** Calls of whole arguments whose items have not ended: only the end of an item tells what is called. */
  let openCalls = 0

  function partsOf(event: Fields): readonly ModelPart[] {
    isOpening &&= openings.has(event.type)
    const delta = () => readText(event.delta, server)
    switch (event.type) {
      case 'response.output_item.added':
        if (fieldsOf(event.item).type !== 'message') return []
        messages += 1
        return messages > 1 ? [{ type: 'text-delta', text: '\n' }] : []
      case 'response.output_text.delta': {
        const { logprobs } = event
        const hasSome = Array.isArray(logprobs) && logprobs.length > 0
        return [{ type: 'text-delta', text: delta(), ...(hasSome && { logprobs }) }]
      }
      case 'response.refusal.delta':
        return [{ type: 'text-delta', text: delta() }]
      case 'response.reasoning_summary_part.added':
        return event.summary_index === 0 ? [] : [{ type: 'thinking-delta', text: '\n\n' }]
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return [{ type: 'thinking-delta', text: delta() }]
      case 'response.function_call_arguments.done':
      case 'response.custom_tool_call_input.done':
        openCalls += 1
        return []
      case 'response.output_item.done': {
        const item = fieldsOf(event.item)
        items.push(item)
        if (isCall(item)) openCalls = Math.max(0, openCalls - 1)
        return callsOf(item, server)
      }
      case 'response.completed':
      case 'response.incomplete':
        ended = fieldsOf(event.response)
        return []
      case 'response.failed':
      case 'error':
        throw toStreamError(server, 'failed in the middle of its answer', faultOf(event))
      default:
        return []
    }
  }

  return {
    read: partsOf,
    state() {
      if (ended) return 'over'
      return isOpening || openCalls > 0 ? 'waiting' : 'open'
    },
    end() {
      if (!ended) throw toStreamError(server, 'ended its answer before it was finished')
      return [toEnd(ended, items)]
    },
  }
}

/** The events that come before the model has the prompt. */
const openings: ReadonlySet<unknown> = new Set([
  ...['response.created', 'response.queued', 'response.in_progress'],
])

function readResponse(response: Fields | undefined, server: AskedServer): readonly ModelPart[] {
  if (!response || !Array.isArray(response.output))
    throw toStreamError(
      server,
      'sent an answer that cannot be read',
      response && readFault(response),
    )
  if (response.status === 'failed') throw toStreamError(server, 'failed', faultOf({ response }))
  const items = (response.output as readonly unknown[]).map(fieldsOf)
  return [
    ...toDelta('thinking-delta', thoughtsOf(items, server).join('\n\n')),
    ...toDelta('text-delta', textsOf(items, text => readText(text, server)).join('\n')),
    ...items.flatMap(item => callsOf(item, server)),
    toEnd(response, items),
  ]
}

const faultOf = (event: Fields) => readFault(fieldsOf(event.response).error ?? event.error ?? event)

const textsOf = (items: readonly Fields[], read: (text: unknown) => string): readonly string[] =>
  items
    .filter(({ type }) => type === 'message')
    .map(({ content }) => listOf(content).map(one => read(one.text ?? one.refusal ?? '')))
    .map(texts => texts.join(''))

const thoughtsOf = (items: readonly Fields[], server: AskedServer): readonly string[] =>
  items
    .filter(({ type }) => type === 'reasoning')
    .flatMap(({ summary, content }) => [...listOf(content), ...listOf(summary)])
    .map(({ text }) => readText(text, server))

/** The call of an item, with the name and the arguments that the log has of it. */
function callsOf(item: Fields, server: AskedServer): readonly ModelPart[] {
  const { type, call_id, name, namespace } = item
  if (!isCall(item)) return []
  const id = readText(call_id, server)
  if (type === 'tool_search_call')
    return [
      {
        type: 'tool-call',
        id,
        name: searchName,
        arguments: JSON.stringify(fieldsOf(item.arguments)),
      },
    ]
  const json =
    type === 'function_call'
      ? readText(item.arguments, server) || '{}'
      : JSON.stringify({ input: readText(item.input, server) })
  const called = flatName({ namespace: readText(namespace, server), name: readText(name, server) })
  return [{ type: 'tool-call', id, name: called, arguments: json }]
}

/** The name by which a search of tools is logged and sent elsewhere: in Responses it is a kind of its own. */
export const searchName = 'tool_search'

/** The name of a tool of a namespace where names are flat. Codex's namespaces end with the two strokes: `mcp__files__`. */
export function flatName({
  namespace,
  name,
}: {
  readonly namespace: string
  readonly name: string
}): string {
  return namespace === '' || namespace.endsWith('__')
    ? `${namespace}${name}`
    : `${namespace}__${name}`
}

function toEnd(
  { usage, model, id, incomplete_details: why }: Fields,
  items: readonly Fields[],
): ModelPart {
  const {
    input_tokens: promptTokens,
    output_tokens: replyTokens,
    input_tokens_details,
  } = fieldsOf(usage)
  const { cached_tokens: cachedTokens } = fieldsOf(input_tokens_details)
  return {
    type: 'end',
    reason: reasonOf(fieldsOf(why).reason, items),
    usage: toUsage({ promptTokens, replyTokens, cachedTokens }),
    details: present({ model: textOrNone(model), id: textOrNone(id) }),
    ...(items.some(isMore) && { blocks: { form: 'responses', list: items } }),
  }
}

const textOrNone = (value: unknown) => (typeof value === 'string' ? value : undefined)

function reasonOf(why: unknown, items: readonly Fields[]): EndReason {
  if (why !== undefined) return why === 'max_output_tokens' ? 'length' : 'other'
  return items.some(isCall) ? 'tool-calls' : 'stop'
}

/** Whether an item is a call that the client answers. A search that the provider runs has no id. */
const isCall = ({ type, call_id: id }: Fields) =>
  type === 'function_call' ||
  type === 'custom_tool_call' ||
  (type === 'tool_search_call' && typeof id === 'string')

const isMore = ({ type }: Fields) => type !== 'message' && type !== 'function_call'
