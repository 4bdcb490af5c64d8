import { hashText } from '../../log/hash-text.ts'
import { cut } from '../../log/line.ts'

/** A line of a system prompt, with the empty lines behind it. */
export interface PromptLine {
  readonly text: string
  /** Tells the line from others: its text, and the lines that it stands under; behind a dot its pattern, if it has one. */
  readonly id: string
  /** The same for texts that differ in nothing but numbers, dates and times. Undefined for a line that has none of them. */
  readonly pattern: string | undefined
  readonly indent: number
  /** The line that it stands under: one with less indentation, or its heading. */
  readonly above: Above | undefined
}

/** A line under which others may stand. */
interface Above {
  readonly id: string
  readonly indent: number
  readonly name: string
  readonly isHeading: boolean
  readonly above: Above | undefined
  firstChild: string
  /** Whether an empty line has ended what stands under a heading without more indentation. */
  isOver: boolean
}

/** Larger prompts are sent as they are: what is stored of a prompt grows with its lines. */
const mostLines = 4000
const mostCharacters = 1_000_000

/** The lines of a text; joined by line breaks they are the text. Undefined if there are too many. */
export function splitLines(text: string): readonly PromptLine[] | undefined {
  const texts = text.length > mostCharacters ? [] : withEmptyLines(text)
  if (texts.length === 0 || texts.length > mostLines) return undefined
  const lines: PromptLine[] = []
  let last: Above | undefined
  for (const [at, text] of texts.entries()) {
    const indent = indentOf(text)
    const name = text.trim()
    const isNew = isHeading(name)
    while (last && !mayHold(last, indent, isNew)) last = last.above
    const parent = last && last.indent === indent ? last.above : last
    // The last line of a prompt stays the same line when others follow it.
    const line = at === texts.length - 1 ? text.trimEnd() : text
    const id = hashText(`${parent ? `${parent.id}${parent.firstChild}` : ''}\n${line}`)
    const pattern = patternOf(line)
    const named = pattern === undefined ? id : `${id}.${pattern}`
    lines.push({ text, id: named, pattern, indent, above: last })
    // A bracket alone names nothing: the first line behind it does.
    if (parent?.firstChild === '' && !hasWords(parent.name)) parent.firstChild = name
    if (last?.indent === indent && text.endsWith('\n')) last.isOver = !last.name.startsWith('#')
    last = { id, indent, name, isHeading: isNew, above: last, firstChild: '', isOver: false }
  }
  return lines
}

/** A heading ends the one before. */
const mayHold = (above: Above, indent: number, isNew: boolean): boolean =>
  above.indent < indent || (above.indent === indent && above.isHeading && !above.isOver && !isNew)

const mostNames = 3

/** The names of the items around a line; of a line without indentation, its heading. Empty if there is none. */
export function describePlace({ above, indent }: Pick<PromptLine, 'above' | 'indent'>): string {
  const names: string[] = []
  let below = indent
  for (let one = above; one && names.length < mostNames; one = one.above) {
    const name = hasWords(one.name) ? one.name : one.firstChild
    // An item without indentation stands behind its heading: its own name is enough.
    const isOther = one.indent < below || names.length === 0
    if (isOther && name !== '' && name !== names[0]) names.unshift(name)
    below = one.indent
  }
  return names.map(name => cut(name.replace(/^[-*•] /, ''), 80)).join(' › ')
}

function patternOf(line: string): string | undefined {
  return line.search(changing) < 0 ? undefined : hashText(line.replace(changing, '0'))
}

/** A number with its sign, a month, a day of the week, or the half of a day. */
const changing =
  /[-+−]?\p{N}+(?:[.,:]\p{N}+)*|\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|mon(?:day)?|tue(?:sday)?|wed(?:nesday)?|thu(?:rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?|[ap]\.?m)(?![\p{L}])/giu

const isHeading = (text: string): boolean => /[:：]$/.test(text) || /^(?:#{1,6} |<\w)/.test(text)

const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)

function indentOf(line: string): number {
  let at = 0
  while (line[at] === ' ' || line[at] === '\t') at += 1
  return at
}

/** The lines of a text, each with the empty lines behind it; the first one also with those before it. */
function withEmptyLines(text: string): readonly string[] {
  const lines: string[] = []
  for (const line of text.split('\n')) {
    const last = lines.at(-1)
    const joins = last !== undefined && (isEmpty(line) || (lines.length === 1 && isEmpty(last)))
    if (joins) lines[lines.length - 1] = `${last}\n${line}`
    else lines.push(line)
  }
  return lines
}

const isEmpty = (line: string): boolean => line.trim() === ''
