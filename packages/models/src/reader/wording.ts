import type { Role } from '@throughline/core/messages'
import { cut } from '@throughline/core/values'

const openings = {
  user: 'You said',
  assistant: 'I said',
  tool: 'A tool said',
  instructions: 'My instructions say',
  note: 'My notes say',
}

export type Speaker = keyof typeof openings

export interface Quotation {
  readonly speaker: Speaker
  readonly text: string
}

export const speakerOf = (role: Role): Speaker =>
  role === 'system' ? 'instructions' : role === 'assistant_note' ? 'note' : role

/** Stands before every answer that people may take for a model's. */
export const standInOpening = 'Stand-in, no AI: '

export const helplessText = 'I found no sentence that answers that in what I was given.'
export const nothingAskedText = 'I was given nothing to answer.'
export const selfDescription =
  'I am the reader, a small program and no language model. I answer by quoting the sentence of what I was given that fits best, and I know nothing else.'

/** `You said: "My locker code is 4471."` */
export const quote = ({ speaker, text }: Quotation): string =>
  `${openings[speaker]}: "${cut(text, 240)}"`

/** `Noted: "I park on level 3".` */
export const acknowledge = (sentence: string): string =>
  `Noted: "${cut(sentence, 80).replace(/\.$/, '')}".`

export const quoteResult = (name: string, result: string): string =>
  `${name} said: "${cut(result, 200)}".`

/** The inverse of `quote`: the speaker and the text that a line of the reader quotes. */
export function quotedBy(line: string): Quotation | undefined {
  const [, opening, text] = ownQuotation.exec(line) ?? []
  if (text === undefined) return undefined
  return { speaker: speakers.find(speaker => openings[speaker] === opening) ?? 'user', text }
}

/** Whether a line is the reader saying that it knows nothing, which must never be quoted as an answer. Logs have its older words too. */
export const isHelpless = (line: string): boolean =>
  line.includes('I found no sentence that answers') || line.includes('I cannot see anything')

const speakers = Object.keys(openings) as readonly Speaker[]
const ownQuotation = new RegExp(
  `^\\W*(?:${standInOpening})?(${[...Object.values(openings), 'Noted'].join('|')}): "(.*?)"?[.…]?$`,
)
