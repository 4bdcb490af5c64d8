import type { LoggedMessage } from '../../history/index.ts'
import { normalizeText } from '../../history/log/logged-message.ts'
import type { MessageLike } from '../../log/message.ts'
import { isObject } from '../../log/parse-json.ts'
import { readMessage } from '../../log/parse-message.ts'
import { notedResult } from '../../log/texts.ts'
import { type Details, detailsOf, digestOf } from './details.ts'
import { isBracket } from './left-out.ts'

export interface Compared {
  /** Its role and the words that a user sees, or the names of its calls. Of a result only the role: clients clip old ones. */
  readonly text: string
  /** What the model reads besides, and clients may leave out later. Absent if there is nothing. */
  readonly details?: Details
  /** The thoughts of a reply. Some clients send them back as a part of its text. */
  readonly thinking?: string
  /** Whether its text was erased from the log: any copy of its role may be it. */
  readonly isErased?: boolean
}

/** Undefined for messages that clients add, leave out and change as they like: system messages, notes and preambles. */
export function comparedOf(message: MessageLike, seq: number): Compared | undefined {
  const cached = items.get(message)
  if (cached !== undefined) return cached ?? undefined
  const item = readItem(message, seq)
  items.set(message, item ?? null)
  return item
}

/** What two copies of a message have in common: see `Compared.text`. */
export const itemOf = (message: MessageLike, seq: number) => comparedOf(message, seq)?.text

/** A text that is equal only for copies that are equal in everything the model reads. */
export const exactText = ({ text, details }: Compared): string =>
  details ? `${text}\n${digestOf(details)}` : text

/** Of a long list most messages come again, as the same objects. */
const items = new WeakMap<MessageLike, Compared | null>()

function readItem(message: MessageLike, seq: number): Compared | undefined {
  const read = readMessage(message, seq)
  const { role } = read
  if (role === 'system' || role === 'assistant_note' || isPreamble(role, read.text)) return undefined
  const spoken = role === 'assistant' ? withoutThoughts(read.text) : read.text
  const { words, brackets } = linesOf(spoken, role === 'user')
  const isCalling = read.calls.length > 0
  const details = detailsOf(message, read.calls, {
    brackets,
    result: role === 'tool' ? words : '',
    beside: isCalling ? words : '',
  })
  const text = isCalling
    ? `${role}!${read.calls.map(({ name }) => name).join('\n')}`
    : `${role}:${role === 'tool' ? '' : words}`
  const thinking = role === 'assistant' && read.thinking !== '' ? linesOf(read.thinking, false).words : ''
  return { text, ...(details && { details }), ...(thinking !== '' && { thinking }) }
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
function linesOf(text: string, hasBrackets: boolean): { readonly words: string; readonly brackets: string } {
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

export const isResult = ({ text }: Compared): boolean => text.startsWith('tool:')

export const isOfRound = (item: Compared): boolean => isResult(item) || item.text.startsWith('assistant!')

/** Whether one of two texts of an assistant is the beginning of the other: a client keeps what it got before it left. */
export function isBeginning(one: string, other: string): boolean {
  return one.startsWith('assistant:') && (other.startsWith(one) || one.startsWith(other))
}

/** Whether a client gave it: a user's message, or the result of a tool that is not our own. */
export const isGiven = ({ message: { role, content }, isClosing, data }: LoggedMessage): boolean =>
  role === 'user' || (role === 'tool' && !isClosing && content !== notedResult && !isOwnResult(data))

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
