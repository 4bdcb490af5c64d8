import {
  type Fields,
  optional,
  readEach,
  readFields,
  readList,
  readText,
  refuse,
} from '../../../log/fields.ts'
import type { ContentPart } from '../../../log/to-content.ts'
import { refuseElsewhere } from '../own-form.ts'

/** Reads a content without calls and results: a text, or blocks. Blocks of a kind that is not known are left out. */
export function readParts(value: unknown, field: string): readonly ContentPart[] {
  if (typeof value === 'string') return [value]
  return readEach(value, field, readBlock).flat()
}

/** Reads a content that may hold only texts. */
export function readTexts(value: unknown, field: string): readonly string[] {
  return readParts(value, field).map((part, at) =>
    typeof part === 'string' ? part : refuse(`${field}[${at}]`, 'must be a text'),
  )
}

/** The parts of one block. Files take the form of the AI SDK, which keeps their bytes and types as they are. */
export function readBlock(block: Fields, where: string): readonly ContentPart[] {
  switch (block.type) {
    case 'text':
      return [readText(block.text, `${where}.text`)]
    case 'image':
      return [readImage(readFields(block.source, `${where}.source`), `${where}.source`)]
    case 'document':
      return readDocument(block, where)
    case 'search_result': {
      const head = [block.title, block.source].filter(text => typeof text === 'string')
      return [...head, ...readTextBlocks(block.content, `${where}.content`)]
    }
    default:
      return []
  }
}

function readImage(source: Fields, where: string): ContentPart {
  switch (source.type) {
    case 'base64': {
      const mediaType = readText(source.media_type, `${where}.media_type`)
      return { type: 'image', image: readText(source.data, `${where}.data`), mediaType }
    }
    case 'url':
      return { type: 'image', image: readText(source.url, `${where}.url`) }
    default:
      refuseElsewhere(`${where}.type`, 'must be "base64" or "url": uploaded files are not known here')
      return uploaded
  }
}

/** A file that only the upstream has. */
const uploaded: ContentPart = { type: 'input_file' }

function readDocument(block: Fields, where: string): readonly ContentPart[] {
  const source = readFields(block.source, `${where}.source`)
  const title = optional(block.title, `${where}.title`, readText)
  const file = (data: unknown, field: string, mediaType: string): ContentPart => ({
    type: 'file',
    data: readText(data, field),
    mediaType,
    ...(title !== undefined && { filename: title }),
  })
  switch (source.type) {
    case 'text':
      return [...(title === undefined ? [] : [title]), readText(source.data, `${where}.source.data`)]
    case 'content':
      return [
        ...(title === undefined ? [] : [title]),
        ...readTextBlocks(source.content, `${where}.source.content`),
      ]
    case 'base64':
      return [
        file(source.data, `${where}.source.data`, readText(source.media_type, `${where}.source.media_type`)),
      ]
    case 'url':
      return [file(source.url, `${where}.source.url`, 'application/pdf')]
    default:
      refuseElsewhere(`${where}.source.type`, 'must be "base64", "text", "content" or "url"')
      return [uploaded]
  }
}

/** The texts and images inside of a block. Documents do not hold documents, so that this ends. */
function readTextBlocks(value: unknown, field: string): readonly ContentPart[] {
  if (typeof value === 'string') return [value]
  readList(value, field)
  return readEach(value, field, (block, where) =>
    block.type === 'text' || block.type === 'image' ? readBlock(block, where) : [],
  ).flat()
}
