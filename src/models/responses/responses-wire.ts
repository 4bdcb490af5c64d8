import { InvalidMessageError } from '../../log/error.ts'
import type { MessageLike } from '../../log/message.ts'
import { isObject } from '../../log/parse-json.ts'
import type { ReplyBlocks } from '../model.ts'
import { type PairedMessage, pairResults } from '../pair-results.ts'
import { isImage, type Media, readMedia } from '../read-media.ts'
import type { ReplyWire } from '../wire/wire.ts'
import { readResponse, responsesReader } from './read-reply.ts'

/** OpenAI's Responses: spoken only with clients that speak it themselves. */
export const responsesWire: ReplyWire = {
  form: 'responses',
  path: '/v1/responses',
  each: messages => pairResults(messages).map(toItems),
  piece: 'event',
  lastEvent: '[DONE]',
  read: responsesReader,
  readWhole: readResponse,
}

type Item = Readonly<Record<string, unknown>>

function toItems(paired: PairedMessage): readonly Item[] {
  const { seq, source, message, results } = paired
  const media = readMedia(source, seq)
  if (message.role === 'assistant') return [...toReply(paired), ...toOutputs(paired, media.results)]
  if (message.role === 'tool' && results.length > 0)
    return toOutputs(paired, media.results.length > 0 ? media.results : [media.own])
  const files = media.own.map(file => toFile(file, seq))
  const content = [...textParts(message.text), ...files]
  const role = message.role === 'system' ? 'developer' : 'user'
  return content.length > 0 ? [{ type: 'message', role, content }] : []
}

function toReply({ source, message, calls }: PairedMessage): readonly Item[] {
  const said = [{ type: 'output_text', text: message.text, annotations: [] }]
  const texts = message.text === '' ? [] : [{ type: 'message', role: 'assistant', content: said }]
  const called = calls.map(({ key, name, arguments: json }) => ({
    ...{ type: 'function_call', call_id: key, name, arguments: json },
  }))
  const items = itemsOf(source)
  if (isWhole(items, message.text, called.length)) return items
  return [...items.filter(({ type }) => type === 'reasoning'), ...texts, ...called]
}

/** The reply as its provider gave it, if it was one of this form. */
function itemsOf({ blocks }: MessageLike & { readonly blocks?: unknown }): readonly Item[] {
  const { form, list } = (isObject(blocks) ? blocks : {}) as Partial<ReplyBlocks>
  return form === 'responses' && Array.isArray(list) ? (list as readonly Item[]).filter(isObject) : []
}

/** Whether items hold all of a reply, as it is now. */
function isWhole(items: readonly Item[], text: string, calls: number): boolean {
  const texts = items.filter(({ type }) => type === 'message').map(({ content }) => textOf(content))
  const called = items.filter(({ type }) => type === 'function_call' || type === 'custom_tool_call').length
  return items.length > 0 && texts.join('\n') === text && called === calls
}

const textOf = (content: unknown): string =>
  Array.isArray(content)
    ? content.map((part: Item) => String(part?.text ?? part?.refusal ?? '')).join('')
    : ''

function toOutputs({ results, seq }: PairedMessage, files: readonly (readonly Media[])[]): readonly Item[] {
  return results.map(({ text, callId, call, name }, at) => {
    const own = (files[at] ?? []).map(file => toFile(file, seq))
    return {
      type: 'function_call_output',
      call_id: call?.key ?? callId ?? name ?? 'call_1',
      output: own.length > 0 ? [...textParts(text), ...own] : text,
    }
  })
}

const textParts = (text: string): readonly Item[] => (text === '' ? [] : [{ type: 'input_text', text }])

function toFile(file: Media, seq: number): Item {
  if (file.type === 'foreign')
    throw new InvalidMessageError(seq, `has a file (${file.kind}) that cannot be converted`)
  const url = file.type === 'url' ? file.url : `data:${file.mediaType};base64,${file.base64}`
  if (isImage(file)) return { type: 'input_image', image_url: url }
  if (file.type === 'url') return { type: 'input_file', file_url: url }
  return { type: 'input_file', filename: file.filename ?? 'file', file_data: url }
}
