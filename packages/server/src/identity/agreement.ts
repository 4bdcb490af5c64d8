import { isObject } from '@throughline/core/values'

/** A message as it is compared: what a client's copy and the log's have in common. */
export interface Compared {
  /** Its role and the words that a user sees, or the names of its calls. Of a result only the role: clients clip old ones. */
  readonly text: string
  /** A text that is equal only for copies that are equal in everything the model reads. */
  readonly exact: string
  /** What the model reads besides, and clients may leave out later. */
  readonly details: Details
  /** The thoughts of a reply. Some clients send them back as a part of its text. */
  readonly thinking: string
  /** A short text for the messages directly before it that no item stands for: system messages. Empty if there are none. */
  readonly before?: string
  /** Whether its text was erased from the log: any copy of its role may be it. */
  readonly isErased?: boolean
}

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

export const isUser = ({ text }: Compared): boolean => text.startsWith('user:')

export const isReply = ({ text }: Compared): boolean => text.startsWith('assistant')

export const isResult = ({ text }: Compared): boolean => text.startsWith('tool:')

export const isOfRound = (item: Compared): boolean =>
  isResult(item) || item.text.startsWith('assistant!')

/** Whether one of two texts of an assistant is the beginning of the other: a client keeps what it got before it left. */
export const isBeginning = (one: Compared, other: Compared): boolean =>
  isText(one) && (other.text.startsWith(one.text) || one.text.startsWith(other.text))

/** How a client's copy agrees with the log: in all, or but for what was left out. Undefined if it has what the log has not. */
export function agreement(logged: Compared, copy: Compared): Agreement | undefined {
  if (logged.isErased) return roleIn(logged) === roleIn(copy) ? 'same' : undefined
  if (logged.text !== copy.text) {
    if (isWithThoughts(logged, copy)) return 'same'
    // A client that keeps texts only keeps the text beside calls as a reply of its own.
    return isText(copy) && logged.details.beside === textOf(copy) && textOf(copy) !== ''
      ? 'less'
      : undefined
  }
  if (logged.exact === copy.exact) return 'same'
  const { details } = logged
  const isKept =
    keepsFiles(copy.details, details) &&
    copy.details.calls.every((kept, at) => keepsArguments(kept, details.calls[at] ?? ''))
  if (!isKept) return undefined
  // The text beside calls is changed by many clients: it only tells which of two copies is the better one.
  return keepsResult(copy.details, details) ? 'less' : 'reworded'
}

/** `less`: but for what the client left out. `reworded`: an old result of a tool that the client words otherwise. */
export type Agreement = 'same' | 'less' | 'reworded'

/** Whether a result is what a known program keeps of a longer one; any other wording is the client's own. */
export function isProgramsClip({ details: kept }: Compared, { details: whole }: Compared): boolean {
  if (kept.result === whole.result) return true
  if (programMarks.has(kept.result)) return true
  const isBeginning = kept.result.slice(0, leastKept) === whole.result.slice(0, leastKept)
  return isBeginning && isClipped(kept.result, whole.result)
}

/** What known programs put in place of an old result. */
const programMarks: ReadonlySet<string> = new Set(['', '[Old tool result content cleared]'])

/** Whether a client has put the texts of a turn into one reply, without the calls and results before its end. */
export function joinedAgreement(rounds: readonly Compared[], end: Compared, copy: Compared) {
  if (rounds.length === 0 || !isText(end) || !isText(copy)) return undefined
  const texts = [...rounds.map(({ details }) => details.beside), textOf(end)]
  return squeezed(texts.join('')) === squeezed(textOf(copy)) ? 'less' : undefined
}

const roleIn = ({ text }: Compared) => /^\w+/.exec(text)?.[0]

const replyText = 'assistant:'

const isText = ({ text }: Compared) => text.startsWith(replyText)

const textOf = ({ text }: Compared) => text.slice(replyText.length)

/** Clients differ in what they put between two texts. */
const squeezed = (text: string) => text.replace(/\s+/g, '')

/** Whether a client has put the thoughts of a reply before its text or behind it. */
function isWithThoughts(logged: Compared, copy: Compared): boolean {
  const { thinking } = logged
  if (thinking === '' || !isText(logged) || !isText(copy)) return false
  const [text, answer] = [textOf(copy), textOf(logged)]
  return (
    (text.startsWith(thinking) && text.slice(thinking.length).trim() === answer) ||
    (text.endsWith(thinking) && text.slice(0, -thinking.length).trim() === answer)
  )
}

/** Whether a copy has no files but those of the log, in their order. A line in brackets stands for one that is missing. */
function keepsFiles(kept: Details, { files, brackets }: Details): boolean {
  let at = 0
  for (const file of files) if (kept.files[at] === file) at += 1
  if (at < kept.files.length) return false
  return brackets === kept.brackets || (brackets === '' && files.length > kept.files.length)
}

function keepsResult(kept: Details, { result, files }: Details): boolean {
  if (kept.result === result || isClipped(kept.result, result)) return true
  return files.length > kept.files.length && withoutBrackets(kept.result) === result
}

/** Whether arguments are those of the log, but for texts that were clipped, or for all of them. */
function keepsArguments(kept: string, whole: string): boolean {
  if (kept === whole || kept === '') return true
  try {
    return keepsValue(JSON.parse(kept), JSON.parse(whole))
  } catch {
    return isClipped(kept, whole)
  }
}

function keepsValue(kept: unknown, whole: unknown): boolean {
  if (typeof kept === 'string' && typeof whole === 'string')
    return kept === whole || isClipped(kept, whole)
  if (Array.isArray(kept) && Array.isArray(whole))
    return kept.length === whole.length && kept.every((one, at) => keepsValue(one, whole[at]))
  if (!isObject(kept) || !isObject(whole)) return kept === whole
  const names = Object.keys(kept)
  return (
    names.length === Object.keys(whole).length &&
    names.every(name => Object.hasOwn(whole, name) && keepsValue(kept[name], whole[name]))
  )
}

/** Whether a line may stand for what a client left out: brackets around what was there, or that it is gone: `[image]`. */
export function isBracket(line: string): boolean {
  const text = line.trim()
  return text.length <= longestMark && closing[text[0]!] === text.at(-1) && names.test(text)
}

const closing: Readonly<Record<string, string>> = { '[': ']', '(': ')', '<': '>' }

/** A longer text is no mark. */
const longestMark = 300

const gone =
  /clear|remov|omit|truncat|prun|compact|elid|trimm|strip|dropp|clipp|collaps|discard|no longer|left out|hidden|\.\.\.|…/i
const names = new RegExp(
  `image|picture|photo|screenshot|file|document|pdf|audio|video|attach|media|${gone.source}`,
  'i',
)

const withoutBrackets = (text: string): string =>
  text
    .split('\n')
    .filter(line => !isBracket(line))
    .join('\n')

/** Whether a text is what a client kept of a longer one: nothing, a mark in its place, or its ends with a mark between. */
function isClipped(kept: string, whole: string): boolean {
  // A list or a tag stands in brackets too.
  if (kept === '' || (isBracket(kept) && gone.test(kept) && !/^[[<(]\s*["{[]/.test(kept)))
    return true
  if (kept.length >= whole.length) return false
  if (kept.length <= shortMark && gone.test(kept) && /result|output|content|response/i.test(kept))
    return true
  if (whole.length < leastClipped) return false
  const head = commonLength(kept, whole, at => at)
  const left = kept.slice(head)
  const tail = commonLength(left, whole.slice(head), (at, { length }) => length - 1 - at)
  const mark = left.slice(0, left.length - tail)
  if (head + tail < leastKept) return false
  return mark === '' ? tail === 0 : mark.length <= longestMark && gone.test(mark)
}

/** Without brackets only a short text is a mark. */
const shortMark = 120
/** No known client clips results under 200 characters. */
const leastClipped = 200
const leastKept = 20

/** How many characters are the same. `at`: the place of the n-th one. */
function commonLength(one: string, other: string, at: (n: number, text: string) => number): number {
  const most = Math.min(one.length, other.length)
  let count = 0
  while (count < most && one.charCodeAt(at(count, one)) === other.charCodeAt(at(count, other)))
    count += 1
  return count
}
