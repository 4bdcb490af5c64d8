import { type Fields, optional, readEach, readJsonFields, readText } from '../../../log/fields.ts'
import { present } from '../../../log/present.ts'
import type { ContentPart } from '../../../log/to-content.ts'
import { refuseElsewhere } from '../own-form.ts'

/** Reads a content or an output: a text, or parts, which take the form of chat completions. Unknown parts are left out. */
export function readParts(value: unknown, field: string): readonly ContentPart[] {
  if (typeof value === 'string') return [value]
  return readEach(value, field, readPart).flat()
}

function readPart(part: Fields, where: string): readonly ContentPart[] {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return [readText(part.text, `${where}.text`)]
    case 'refusal':
      return [readText(part.refusal, `${where}.refusal`)]
    case 'input_image': {
      const url = optional(part.image_url, `${where}.image_url`, readText)
      if (url === undefined) return [readUpload(where)]
      const detail = optional(part.detail, `${where}.detail`, readText)
      return [{ type: 'image_url', image_url: present({ url, detail }) }]
    }
    case 'input_file':
      return [readFile(part, where)]
    case 'input_audio':
      return [{ type: 'input_audio', input_audio: readJsonFields(part.input_audio, `${where}.input_audio`) }]
    default:
      return []
  }
}

function readFile(part: Fields, where: string): ContentPart {
  const filename = optional(part.filename, `${where}.filename`, readText)
  const url = optional(part.file_url, `${where}.file_url`, readText)
  if (url !== undefined) return present({ type: 'file', data: url, mediaType: '', filename })
  const file_data = optional(part.file_data, `${where}.file_data`, readText)
  if (file_data === undefined) return readUpload(where)
  return { type: 'file', file: present({ filename, file_data }) }
}

/** A file that only the upstream has. */
function readUpload(where: string): ContentPart {
  refuseElsewhere(where, 'must hold the file itself: uploaded files are not known here')
  return { type: 'input_file' }
}
