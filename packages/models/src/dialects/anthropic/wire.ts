import type { Fields } from '@throughline/core/fields'
import { parseJsonObject } from '@throughline/core/values'
import { isWindow } from '../../check-options.ts'
import { kindOf, type LearnedFiles } from '../../leave-out.ts'
import { type EndReason, type ModelPart, toUsage } from '../../model.ts'
import { readFault } from '../../read-fault.ts'
import { fieldsOf, limitCalls, listOf, readText, toDelta } from '../../read-text.ts'
import { type AskedServer, toStreamError } from '../../to-model-error.ts'
import { toldFact, type WindowFact } from '../../windows/window-fact.ts'
import { ifKnown } from '../../wire/ask.ts'
import { type ReplyReader, toListed, type Wire } from '../../wire/wire.ts'
import { markCache } from './mark-cache.ts'
import { eachAnthropic, toAnthropicPrompt, toAnthropicRequest } from './write-request.ts'

/** The version of the API that is spoken here. A client that names another one in its own request gets that. */
export const anthropicVersion = '2023-06-01'

interface AnthropicWireOptions {
  /** The option that gave the address. */
  readonly option: string
  /** Whether requests that are not the client's own get marks for the cache. Default true. */
  readonly cacheMarks?: boolean | undefined
}

export function anthropicWire({ option, cacheMarks = true }: AnthropicWireOptions): Wire {
  const mark = cacheMarks ? markCache : (body: Fields) => body
  return {
    form: 'messages',
    hasSystemBeside: true,
    path: '/v1/messages',
    describe: address => ({
      name: `The server at ${address}`,
      notFound: `Check the name, which "/v1/models" lists, and the address in "${option}"`,
      unavailable: `check "${option}"`,
    }),
    async write({ window, ...reply }) {
      return mark(toAnthropicRequest({ ...reply, window: await window() }))
    },
    each: eachAnthropic,
    mark,
    piece: 'event',
    read: anthropicReader,
    readWhole: readAnthropicMessage,
    async findWindow(ask, model, signal) {
      const path = `/v1/models/${encodeURIComponent(model)}`
      return windowOf(await ifKnown(() => ask({ path, signal })))
    },
    async listModels(ask, signal) {
      const { data } = fieldsOf(await ask({ path: '/v1/models?limit=1000', signal }))
      return toListed(listOf(data), 'id', windowOf)
    },
    files: anthropicFiles,
    async count(ask, prompt, signal) {
      const body = toAnthropicPrompt(prompt)
      const { input_tokens } = fieldsOf(
        await ask({ path: '/v1/messages/count_tokens', body, signal }),
      )
      return isWindow(input_tokens) ? input_tokens : undefined
    },
  }
}

const windowOf = (model: unknown): WindowFact => toldFact([fieldsOf(model).max_input_tokens])

/** Images, PDF files and texts are taken, also by their addresses. */
function anthropicFiles(): LearnedFiles {
  return {
    refuse(file) {
      if (file.type === 'foreign') return 'it was uploaded elsewhere'
      const kind = kindOf(file)
      if (kind === 'audio' || kind === 'video') return `this model takes no ${kind}`
      if (kind !== 'file' || file.type === 'url' || file.mediaType.startsWith('text/'))
        return undefined
      return 'this model takes only images, PDF files and texts'
    },
    learnFrom() {},
  }
}

/** Reads the events of `/v1/messages`, up to `message_stop`. */
function anthropicReader(server: AskedServer): ReplyReader {
  const content = collectBlocks(server)
  let usage: Fields = {}
  let model: unknown
  let stop = ''
  let isDone = false

  function partsOf(event: Fields): readonly ModelPart[] {
    switch (event.type) {
      case 'message_start': {
        const message = fieldsOf(event.message)
        usage = { ...usage, ...presentCounts(message.usage) }
        model = message.model
        return []
      }
      case 'content_block_start':
        return content.open(event.index, fieldsOf(event.content_block))
      case 'content_block_delta':
        return content.add(event.index, fieldsOf(event.delta))
      case 'content_block_stop':
        return content.close(event.index)
      case 'message_delta':
        usage = { ...usage, ...presentCounts(event.usage) }
        stop ||= readText(fieldsOf(event.delta).stop_reason, server)
        return []
      case 'message_stop':
        isDone = true
        return []
      case 'error':
        throw toStreamError(server, 'failed in the middle of its answer', readFault(event))
      default:
        // Pings, and events of tomorrow.
        return []
    }
  }

  return {
    read: partsOf,
    state: () => (isDone ? 'over' : stop === '' ? 'open' : 'ending'),
    end() {
      if (stop === '') throw toStreamError(server, 'ended its answer before it was finished')
      return [toEnd(usage, stop, model, content.blocks())]
    },
  }
}

function readAnthropicMessage(
  message: Fields | undefined,
  server: AskedServer,
): readonly ModelPart[] {
  if (!message || !Array.isArray(message.content))
    throw toStreamError(server, 'sent an answer that cannot be read', message && readFault(message))
  const content = collectBlocks(server)
  const parts = message.content.flatMap((block: unknown, at) => [
    ...content.open(at, fieldsOf(block)),
    ...content.close(at),
  ])
  const stop = readText(message.stop_reason, server)
  return [...parts, toEnd(presentCounts(message.usage), stop, message.model, content.blocks())]
}

function toEnd(usage: Fields, stop: string, model: unknown, blocks: readonly Fields[]): ModelPart {
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } =
    usage
  const read = [input_tokens, cache_read_input_tokens, cache_creation_input_tokens]
  const counts = {
    // What came from the cache, or went into it, is not part of `input_tokens`.
    promptTokens: typeof input_tokens === 'number' ? sum(read) : undefined,
    replyTokens: output_tokens,
    cachedTokens: cache_read_input_tokens,
  }
  return {
    type: 'end',
    reason: reasons.get(stop) ?? 'other',
    usage: toUsage(counts),
    details: typeof model === 'string' ? { model } : {},
    ...(blocks.some(isMore) && { blocks: { form: 'messages', list: blocks } }),
  }
}

const reasons: ReadonlyMap<string, EndReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool-calls'],
])

const isMore = ({ type, citations }: Fields) =>
  (type !== 'text' && type !== 'tool_use') || (Array.isArray(citations) && citations.length > 0)

const sum = (counts: readonly unknown[]): number =>
  counts.reduce<number>((all, count) => all + (Number.isFinite(count) ? Number(count) : 0), 0)

/** The counts that were told: of a later event some are null. */
const presentCounts = (usage: unknown): Fields =>
  Object.fromEntries(Object.entries(fieldsOf(usage)).filter(([, count]) => count !== null))

function collectBlocks(server: AskedServer) {
  /** The blocks that are not closed; `json`: the input of a call as it came. */
  const open = new Map<unknown, { readonly block: Record<string, unknown>; json: string }>()
  const blocks: Record<string, unknown>[] = []
  const limit = limitCalls(server)

  return {
    open(index: unknown, block: Fields): readonly ModelPart[] {
      const begun = { block: { ...block }, json: '' }
      open.set(index, begun)
      blocks.push(begun.block)
      if (block.type === 'text') return toDelta('text-delta', readText(block.text, server))
      return block.type === 'thinking'
        ? toDelta('thinking-delta', readText(block.thinking, server))
        : []
    },
    add(index: unknown, delta: Fields): readonly ModelPart[] {
      const begun = open.get(index)
      if (!begun) throw toStreamError(server, 'sent a part of a block that it did not begin')
      const { block } = begun
      const append = (name: string): string => {
        const more = readText(delta[name], server)
        block[name] = `${typeof block[name] === 'string' ? block[name] : ''}${more}`
        return more
      }
      switch (delta.type) {
        case 'text_delta':
          return toDelta('text-delta', append('text'))
        case 'thinking_delta':
          return toDelta('thinking-delta', append('thinking'))
        case 'signature_delta':
          append('signature')
          return []
        case 'citations_delta':
          if (!Array.isArray(block.citations)) block.citations = []
          ;(block.citations as unknown[]).push(delta.citation)
          return []
        case 'input_json_delta': {
          const more = readText(delta.partial_json, server)
          limit(more)
          begun.json += more
          return []
        }
        default:
          return []
      }
    },
    close(index: unknown): readonly ModelPart[] {
      const begun = open.get(index)
      open.delete(index)
      if (!begun) return []
      const { block, json } = begun
      if (json !== '') block.input = parseJsonObject(json) ?? block.input
      if (block.type !== 'tool_use') return []
      const name = readText(block.name, server)
      const id = readText(block.id, server)
      return [{ type: 'tool-call', id, name, arguments: json || JSON.stringify(block.input ?? {}) }]
    },
    blocks: (): readonly Fields[] => blocks,
  }
}
