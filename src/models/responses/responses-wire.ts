import { InvalidMessageError } from '../../log/error.ts'
import { type PairedMessage, pairResults, resultFiles, withKeptBlocks } from '../pair-results.ts'
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

type InputItem = Readonly<Record<string, unknown>>

function toItems(paired: PairedMessage): readonly InputItem[] {
  const { seq, source, message, results } = paired
  if (message.role === 'assistant') return [...toReply(paired), ...toOutputs(paired)]
  if (message.role === 'tool' && results.length > 0) return toOutputs(paired)
  const files = readMedia(source, seq).files.map(file => toFile(file, seq))
  const content = [...textParts(message.text), ...files]
  const role = message.role === 'system' ? 'developer' : 'user'
  return content.length > 0 ? [{ type: 'message', role, content }] : []
}

function toReply(paired: PairedMessage): readonly InputItem[] {
  const { text } = paired.message
  const textParts = [{ type: 'output_text', text, annotations: [] }]
  const texts = text === '' ? [] : [{ type: 'message', role: 'assistant', content: textParts }]
  const called = paired.calls.map(({ key, name, arguments: json }) => ({
    ...{ type: 'function_call', call_id: key, name, arguments: json },
  }))
  return withKeptBlocks(paired, 'responses', [...texts, ...called], {
    textOf: items =>
      items
        .filter(({ type }) => type === 'message')
        .map(({ content }) => textOf(content))
        .join('\n'),
    isCall: ({ type }) => type === 'function_call' || type === 'custom_tool_call',
  })
}

const textOf = (content: unknown): string =>
  Array.isArray(content)
    ? content.map((part: InputItem) => String(part?.text ?? part?.refusal ?? '')).join('')
    : ''

function toOutputs(paired: PairedMessage): readonly InputItem[] {
  const files = resultFiles(paired, toFile)
  return paired.results.map(({ text, key }, at) => ({
    type: 'function_call_output',
    call_id: key,
    output: files[at]?.length ? [...textParts(text), ...files[at]] : text,
  }))
}

const textParts = (text: string): readonly InputItem[] => (text === '' ? [] : [{ type: 'input_text', text }])

function toFile(file: Media, seq: number): InputItem {
  if (file.type === 'foreign')
    throw new InvalidMessageError(seq, `has a file (${file.kind}) that cannot be converted`)
  const url = file.type === 'url' ? file.url : `data:${file.mediaType};base64,${file.base64}`
  if (isImage(file)) return { type: 'input_image', image_url: url }
  if (file.type === 'url') return { type: 'input_file', file_url: url }
  return { type: 'input_file', filename: file.filename ?? 'file', file_data: url }
}
