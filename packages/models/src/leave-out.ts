import type { Fields } from '@throughline/core/fields'
import { isText, type MessageLike, outputParts } from '@throughline/core/messages'
import { attempt, isObject } from '@throughline/core/values'
import type { ModelError, ModelFiles } from './model.ts'
import { isImage, type Media, readFile } from './read-media.ts'

/** Which files a model takes, as far as its server has told. */
export interface LearnedFiles extends ModelFiles {
  learnFrom(error: ModelError): void
}

/** A message with words for the files that are refused or cannot be read. Undefined if all of them can be sent. */
export function leaveOutFiles(source: MessageLike, refuse: ModelFiles['refuse']) {
  const left: string[] = []
  /** The words for a file that is left out; undefined for a file that is sent, and for other parts. */
  const wordsFor = (part: unknown): string | undefined => {
    const file = attempt(() => readFile(part), unreadable)
    const why = file && (file === unreadable ? 'its data cannot be read' : refuse(file))
    if (!file || why === undefined) return undefined
    const words = `${nameOf(file, part)} left out: ${why}`
    left.push(words)
    return `[${words}]`
  }
  const content = Array.isArray(source.content)
    ? toContent(source.content, wordsFor)
    : source.content
  const images = (Array.isArray(source.images) ? source.images : []) as readonly unknown[]
  const words: string[] = []
  const taken = images.filter(image => {
    const text = wordsFor({ type: 'image', image })
    if (text !== undefined) words.push(text)
    return text === undefined
  })
  if (left.length === 0) return undefined
  const { images: _, ...rest } = source
  const message = {
    ...rest,
    content: withWords(content, words),
    ...(taken.length > 0 && { images: taken }),
  }
  return { message, why: [...new Set(left)].join('; ') }
}

/** Whether a message holds images, other files, or parts of unknown kinds. */
export function hasFiles(source: MessageLike): boolean {
  const isFile = (part: unknown) => attempt(() => readFile(part) !== undefined, true)
  const { images, content } = source
  if (Array.isArray(images) && images.length > 0) return true
  return (
    Array.isArray(content) &&
    content.some(part => isFile(part) || outputParts(part)?.some(one => one?.type !== 'text'))
  )
}

const unreadable: Media = { type: 'foreign', kind: 'file' }

/** A content whose parts are all texts becomes one text: templates of local servers often take nothing else. */
function toContent(
  parts: readonly unknown[],
  wordsFor: (part: unknown) => string | undefined,
): unknown {
  const sent = parts.map(part => {
    const words = wordsFor(part)
    return words === undefined ? withOutput(part, wordsFor) : { type: 'text', text: words }
  })
  const isPlain = sent.every(part => isText(part))
  return isPlain
    ? sent.map(part => (typeof part === 'string' ? part : String(part.text ?? ''))).join('\n')
    : sent
}

/** The AI SDK has the files of a tool result inside of it. */
function withOutput(part: unknown, wordsFor: (part: unknown) => string | undefined): unknown {
  const value = outputParts(part)?.map(one => {
    const words = wordsFor(one)
    return words === undefined ? one : { type: 'text', text: words }
  })
  return value
    ? { ...(part as Fields), output: { ...((part as Fields).output as Fields), value } }
    : part
}

function withWords(content: unknown, words: readonly string[]): unknown {
  if (words.length === 0) return content
  if (Array.isArray(content)) return [...content, ...words.map(text => ({ type: 'text', text }))]
  return [content, ...words].filter(text => typeof text === 'string' && text !== '').join('\n')
}

function nameOf(file: Media, part: unknown): string {
  const name =
    file.type === 'bytes' ? file.filename : file.type === 'url' ? lastOf(file.url) : undefined
  const filename = isObject(part) && typeof part.filename === 'string' ? part.filename : name
  return [kindOf(file), ...(filename ? [oneLine(filename)] : [])].join(' ')
}

export function kindOf(file: Media): 'image' | 'audio' | 'video' | 'PDF' | 'file' {
  const type = file.type === 'foreign' ? file.kind : file.mediaType
  if (isImage(file) || /^(?:input_)?image/.test(type)) return 'image'
  if (/^(?:input_)?audio/.test(type)) return 'audio'
  if (/^(?:input_)?video/.test(type)) return 'video'
  return type === 'application/pdf' ? 'PDF' : 'file'
}

const lastOf = (url: string) => /([^/?#]+)(?:[?#].*)?$/.exec(url.slice(0, 2000))?.[1]

/** Names come from clients: brackets would end the words, and a long name says no more. */
const oneLine = (name: string) =>
  name
    .replace(/[\s[\]]+/g, ' ')
    .trim()
    .slice(0, 80)
