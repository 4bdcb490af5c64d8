import type { LoggedMessage } from '../../../history/index.ts'
import type { MessageLike } from '../../../log/message.ts'
import { readMessage } from '../../../log/parse-message.ts'
import { notedResult } from '../../../log/texts.ts'
import { toOutput } from '../../adapters/responses/to-response.ts'
import { fromKept } from '../../exchange/kept-response.ts'

export interface ListedItem {
  readonly id: string
  readonly type: string
  readonly [field: string]: unknown
}

/** A logged message as items of OpenAI's; none for what no user may see. */
export function toItems(entry: LoggedMessage): readonly ListedItem[] {
  const { message, seq, id, isClosing, isBroken } = entry
  if (isClosing || isBroken) return []
  const { role, text, results } = readMessage(message, seq)
  switch (role) {
    case 'assistant': {
      const { start, end } = fromKept(entry)
      return toOutput(start, end) as readonly ListedItem[]
    }
    case 'user':
    case 'system':
      return [
        { id: `msg_${id}`, type: 'message', status: 'completed', role, content: toParts(message, text) },
      ]
    case 'tool':
      if (text === notedResult) return []
      return results.map(({ callId = '', text: output }, at) => ({
        id: at === 0 ? `fco_${id}` : `fco_${id}_${at}`,
        type: 'function_call_output',
        status: 'completed',
        call_id: callId,
        output,
      }))
    default:
      return []
  }
}

/** A content in OpenAI's parts. Files and images come back as they were given. */
function toParts({ content }: MessageLike, text: string): readonly object[] {
  if (!Array.isArray(content)) return [{ type: 'input_text', text }]
  return content.flatMap(toPart)
}

function toPart(part: unknown): readonly object[] {
  if (typeof part === 'string') return [{ type: 'input_text', text: part }]
  const fields = (part ?? {}) as Readonly<Record<string, unknown>>
  const { type, text, image_url: image, file, data, filename } = fields
  if (type === 'text') return [{ type: 'input_text', text }]
  if (type === 'image_url') {
    const { url, detail = 'auto' } = (image ?? {}) as Readonly<Record<string, unknown>>
    return [{ type: 'input_image', image_url: url, detail, file_id: null }]
  }
  if (type === 'input_audio') return [fields]
  if (type === 'file' && file) return [{ type: 'input_file', ...file }]
  return type === 'file' ? [{ type: 'input_file', file_url: data, filename }] : []
}
