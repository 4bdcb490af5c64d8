import { createHash } from 'node:crypto'
import type { Fields } from '@throughline/core/fields'
import { isText, type Message, type MessageLike, notedResult } from '@throughline/core/messages'
import { isObject } from '@throughline/core/values'
import type { LoggedMessage } from '@throughline/history'
import { normalizeText } from '@throughline/history/log'
import { type Compared, type Details, isBracket } from './agreement.ts'
import type { ClientMessage } from './client-message.ts'

/** A message of a client's list that is compared. */
export interface ListItem extends Compared {
  /** Its place in the list of the client. */
  readonly index: number
}

export function itemsOf(messages: readonly ClientMessage[]): readonly ListItem[] {
  const items: ListItem[] = []
  let loose: ReturnType<typeof createHash> | undefined
  for (const [index, message] of messages.entries()) {
    const compared = comparedOf(message)
    if (!compared) {
      const text = looseText(message.reading)
      loose = (loose ?? createHash('sha256')).update(`${text.length}:${text}`)
      continue
    }
    const { text, exact, details, thinking } = compared
    const before = loose ? shortHash(loose) : ''
    loose = undefined
    items.push({ index, text, exact, details, thinking, before })
  }
  return items
}

/** A message that is no item, as it is compared: role and text. */
export const looseText = ({ role, text }: Message): string => `${role}:${text}`

const shortHash = (hash: ReturnType<typeof createHash>) => hash.digest('base64url').slice(0, 22)

/** An entry as it is compared. Undefined for what closed a turn. */
export function comparedIn({
  message,
  reading,
  isClosing,
  isErased,
}: LoggedMessage): Compared | undefined {
  const compared = isClosing ? undefined : comparedOf({ source: message, reading })
  return compared && isErased ? { ...compared, isErased } : compared
}

/** The same without what broke off: a client may have kept it, or dropped it. */
export const wholeIn = (entry: LoggedMessage): Compared | undefined =>
  entry.isBroken ? undefined : comparedIn(entry)

/** Undefined for messages that clients add, leave out and change as they like: system messages, notes and preambles. */
export function comparedOf(message: ClientMessage): Compared | undefined {
  const cached = items.get(message.source)
  if (cached !== undefined) return cached ?? undefined
  const item = readItem(message)
  items.set(message.source, item ?? null)
  return item
}

/** Of a long list most messages come again, as the same objects. */
const items = new WeakMap<MessageLike, Compared | null>()

function readItem({ source, reading: read }: ClientMessage): Compared | undefined {
  const { role } = read
  if (role === 'system' || role === 'assistant_note' || isPreamble(role, read.text))
    return undefined
  const spoken = role === 'assistant' ? withoutThoughts(read.text) : read.text
  const { words, brackets } = linesOf(spoken, role === 'user')
  const isCalling = read.calls.length > 0
  const text = isCalling
    ? `${role}!${read.calls.map(({ name }) => name).join('\n')}`
    : `${role}:${role === 'tool' ? '' : words}`
  const details = {
    files: filesOf(source),
    calls: read.calls.map(call => toCanonical(call.arguments)),
    brackets,
    result: role === 'tool' ? words : '',
    beside: isCalling ? words : '',
  }
  const thinking = role === 'assistant' ? linesOf(read.thinking, false).words : ''
  return { text, exact: text + digestOf(details), details, thinking }
}

/** Whether a program puts it before every conversation, as the user or the model: sessions that share it share nothing. */
function isPreamble(role: string, text: string): boolean {
  if (role === 'user') return openings.some(words => text.startsWith(words))
  return role === 'assistant' && text === 'Got it. Thanks for the context!'
}

/** What Qwen Code, and Gemini CLI before it, say at the beginning. The folder and the date that follow change. */
const openings = [
  'This is the Qwen Code. We are setting up the context for our chat.',
  'This is the Gemini CLI. We are setting up the context for our chat.',
]

/** The words of a text, however a client writes letters, lines and spaces. `brackets`: lines that may stand for a file. */
function linesOf(
  text: string,
  hasBrackets: boolean,
): { readonly words: string; readonly brackets: string } {
  const words: string[] = []
  const brackets: string[] = []
  for (const line of normalizeText(text)
    .normalize('NFC')
    .split(/[\r\n]/)) {
    const trimmed = line.trimEnd()
    if (trimmed === '') continue
    if (hasBrackets && isBracket(trimmed)) brackets.push(trimmed.trim())
    else words.push(trimmed)
  }
  return { words: words.join('\n').trim(), brackets: brackets.join('\n') }
}

/** A short text that only equal details share; empty if there are none. */
function digestOf({ files, calls, brackets, result, beside }: Details): string {
  const texts = [...calls, brackets, result, beside]
  if (files.length === 0 && texts.every(text => text === '')) return ''
  const hash = createHash('sha256').update(`${files.length} ${calls.length}`)
  for (const part of [...files, '', ...texts]) hash.update(`\n${part.length}:`).update(part)
  return `\n${shortHash(hash)}`
}

function filesOf({ images, content }: MessageLike): readonly string[] {
  const files = Array.isArray(images) ? images.map(contentOf) : []
  if (Array.isArray(content))
    for (const part of content.filter(isOther)) {
      if (part.type !== 'tool-result') files.push(fileIn(part))
      else for (const one of resultParts(part)) files.push(fileIn(one))
    }
  return files
}

const isOther = (part: unknown): part is Fields =>
  !isText(part) && !words.has((part as Fields).type)

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

/** Arguments in one order, without empty and false values: clients drop those, and Claude Code adds `replace_all: false`. */
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

/** Whether a client gave it: a user's message, or the result of a tool that is not our own. */
export const isGiven = ({ message: { role, content }, isClosing, data }: LoggedMessage): boolean =>
  role === 'user' ||
  (role === 'tool' && !isClosing && content !== notedResult && !isOwnResult(data))

/** What is kept beside the result of a tool that the server ran itself. */
export const ownResult = { isOwn: true } as const

const isOwnResult = (data: unknown) => isObject(data) && data.isOwn === true

/** Whether it is part of the conversation: not what closed a turn, what broke off, or a note. */
export const isSaid = ({ message, isClosing, isBroken }: LoggedMessage): boolean =>
  !isClosing && !isBroken && message.role !== 'assistant_note'

/** Cuts out thoughts as clients keep them in the text. A block that never ends is ordinary text. */
function withoutThoughts(text: string): string {
  let rest = text
  for (const [open, close] of thoughts) {
    if (!rest.includes(open)) continue
    const kept: string[] = []
    let at = 0
    for (;;) {
      const start = rest.indexOf(open, at)
      const end = start < 0 ? -1 : rest.indexOf(close, start)
      if (end < 0) break
      kept.push(rest.slice(at, start))
      at = end + close.length
    }
    rest = kept.join('') + rest.slice(at)
  }
  return rest
}

const thoughts = [
  ['<think>', '</think>'],
  ['<details type="reasoning"', '</details>'],
] as const
