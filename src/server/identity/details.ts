import { createHash } from 'node:crypto'
import type { Fields } from '../../log/fields.ts'
import type { MessageLike, ToolCall } from '../../log/message.ts'
import { isObject } from '../../log/parse-json.ts'
import { isText } from '../../log/read-content.ts'

/** What the model reads of a message besides the words that every client keeps. */
export interface Details {
  readonly files: readonly string[]
  /** Lines that may stand for files that were left out. */
  readonly brackets: string
  /** The arguments of its calls, in order; empty ones are an empty text. */
  readonly calls: readonly string[]
  readonly result: string
  readonly beside: string
}

export function detailsOf(
  message: MessageLike,
  calls: readonly ToolCall[],
  texts: Pick<Details, 'brackets' | 'result' | 'beside'>,
): Details | undefined {
  const details = {
    ...texts,
    files: filesOf(message),
    calls: calls.map(call => toCanonical(call.arguments)),
  }
  const isEmpty =
    details.files.length === 0 &&
    details.calls.every(text => text === '') &&
    Object.values(texts).every(text => text === '')
  return isEmpty ? undefined : details
}

/** A short text that two details share only if they are equal. It is made once, because files are long. */
export function digestOf(details: Details): string {
  const cached = digests.get(details)
  if (cached !== undefined) return cached
  const { files, calls, ...texts } = details
  const parts = [...files, '', ...calls, texts.brackets, texts.result, texts.beside]
  const hash = createHash('sha256').update(`${files.length} ${calls.length}`)
  for (const part of parts) hash.update(`\n${part.length}:`).update(part)
  const digest = hash.digest('base64url').slice(0, 22)
  digests.set(details, digest)
  return digest
}

const digests = new WeakMap<Details, string>()

function filesOf({ images, content }: MessageLike): readonly string[] {
  const files = Array.isArray(images) ? images.map(contentOf) : []
  if (Array.isArray(content))
    for (const part of content.filter(isOther)) {
      if (part.type !== 'tool-result') files.push(fileIn(part))
      else for (const one of resultParts(part)) files.push(fileIn(one))
    }
  return files
}

const isOther = (part: unknown): part is Fields => !isText(part) && !words.has((part as Fields).type)

const words: ReadonlySet<unknown> = new Set(['reasoning', 'thinking', 'tool-call'])

function resultParts({ output }: Fields): readonly Fields[] {
  const { type, value } = (output ?? {}) as Fields
  return type === 'content' && Array.isArray(value) ? value.filter(part => !isText(part)) : []
}

/** The content of a file, wherever its part has it: every format has another place. */
function fileIn(part: Fields): string {
  const inner = [part.image_url, part.input_audio, part.file].find(
    one => typeof one === 'object' && one !== null,
  )
  const fields = { ...part, ...inner }
  for (const name of places) {
    const value = fields[name]
    if (value !== undefined && value !== null && value !== '') return contentOf(value)
  }
  return contentOf(part)
}

const places = ['url', 'image_url', 'image', 'data', 'file_data', 'file_url', 'file_id']

/** The address or the bytes of a file. The type before the bytes is left out, as some formats have none. */
function contentOf(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value) ?? ''
  const comma = value.startsWith('data:') ? value.indexOf(',') : -1
  return value.slice(comma + 1)
}

/**
 * The arguments of a call, the same for every order and spacing. Empty values are left out, because clients leave them out, and
 * false ones, because clients add them: Claude Code adds `replace_all: false`. What is no JSON stays as it is.
 */
function toCanonical(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    if (isEmpty(value)) return ''
    if (!isObject(value)) return write(value).normalize('NFC')
    const filled = Object.entries(value).filter(([, one]) => one !== false && !isEmpty(one))
    return filled.length === 0 ? '' : writeFields(filled).normalize('NFC')
  } catch {
    // It is no JSON, or nested too deeply to be written.
    return text.trim().normalize('NFC')
  }
}

const isEmpty = (value: unknown) =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)

function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`
  return isObject(value) ? writeFields(Object.entries(value)) : JSON.stringify(value)
}

const writeFields = (fields: readonly (readonly [string, unknown])[]) =>
  `{${fields
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${JSON.stringify(name)}:${write(value)}`)
    .join(',')}}`
