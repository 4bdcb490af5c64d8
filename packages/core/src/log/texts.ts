import { plural } from './line.ts'
import { readMessageName } from './tool-names.ts'

/** Every text that a model may be sent and that neither the user nor the model wrote stands in this file. */

/** The marker of left-out turns. Stands once, right after the first user message. */
export const markerText = '[Several conversation turns removed to conserve context.]'

/** The result of a call that was never answered. */
export const interruptedResult = 'Error: interrupted'

/** An assistant message after a digest, where user and assistant must take turns. */
export const acknowledgement = '(acknowledged)'

/** A user message before a conversation that the assistant began, where a template wants a user first. */
export const openingText = '[The assistant begins.]'

/** A note as it stands at the end of the reply. */
export const inlineNote = (text: string, nonce?: string): string => `${noteOpening(nonce)} ${text}]`

export const noteOpening = (nonce?: string): string =>
  `[NOTE TO SELF${nonce === undefined ? '' : ` ${nonce}`}:`

export const notesTitle = 'RECENT NOTES TO SELF:'

/**
 * Stands in place of a long result of a tool. It says that it is not the result, as a model would take any other text for it.
 * `isReadable`: the model may ask for the text.
 */
export const leftOutMark = (tokens: number, seq: number, isReadable: boolean): string =>
  `[Not the result: #${seq} (${tokens} tokens) is left out here${isReadable ? `, ${readMessageName} reads it` : ''}]`

/** Stands in the middle of a text that had to be cut. */
export const cutMark = (tokens: number): string => ` [… ${tokens} tokens cut here …] `

/** Stands in the middle of a message of the last exchange of which only the beginning and the end fit. */
export const clipMark = (tokens: number, seq: number): string =>
  `\n[… about ${tokens} tokens of #${seq} are not shown here …]\n`

/** The same in what the assistant said: a line of ours there would be read as the assistant's own words, and copied. */
export const gapMark = '\n[…]\n'

/** The first of these marks in a text: a model that copies one into a file or an answer takes it for the text itself. */
export const findStandIn = (text: string): string | undefined =>
  /\[(?:Not the result: #\d{1,9} |… (?:about )?\d{1,9} tokens )[^\]\n]{0,80}\]/.exec(text)?.[0] ??
  [markerText, erasedText].find(mark => text.includes(mark))

/** The first line of a block of recalled entries. */
export const recallTitle = '[Earlier in this conversation:]'

/** The first line of the block of a user's standing rules, in the user's voice. */
export const rulesTitle =
  '[What I have asked you to keep to in this conversation, word for word; the newest is last and wins:]'

/** The first line of a block of messages from other conversations. */
export const quotesTitle = '[From other conversations:]'

/** Stands in place of a message whose text was erased. */
export const erasedText = '[message erased]'

/** Stands in a replay for messages whose conversation was deleted. */
export const deletedQuotes = (count: number): string =>
  `(${plural(count, 'message')}, deleted since)`

/** The day of a time, in UTC, so that it is the same everywhere; empty for a time that is no date. */
export function toDay(time: number): string {
  const date = new Date(time)
  const month = months[date.getUTCMonth()]
  return month ? `${date.getUTCDate()} ${month} ${date.getUTCFullYear()}` : ''
}

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** Stands in a system prompt in place of lines that change. */
export const changesBelow = '[This changes: see below, if anything.]'

/** The first line of the message with the changing lines of the system prompt. */
export const changingTitle = '[From the system prompt, as of now:]'

/** Names what the next changing lines stand under. */
export const standsUnder = (name: string): string => `[${name}]`

/** Title of the journal of rounds cut from the open turn. */
export const actionsTitle = '[Actions so far in this turn:]'

/** Title of the journal of the turn that ended at the cut. */
export const previousActionsTitle = '[Summary of previous turn actions:]'

/** Title of the artifact, where its newest version was cut. */
export const artifactTitle = '[The current version:]'

/** Says how a turn was broken off. */
export const endingTexts = {
  cancelled: '[The user cancelled this answer.]',
  disregarded: '[Cancelled by the user — disregard this turn.]',
  interrupted: '[Interrupted.]',
  failed: (code: string): string => `[This turn failed: ${code}.]`,
} as const

/** Stands in place of a reply without visible text. */
export const noReplyText = '[No visible reply.]'

export const notedResult = 'Noted.'

/** Stands at the end of a result of which only the beginning is shown. */
export const readOnHint = (left: number, call: string): string =>
  `[${left} more characters. ${call} reads on.]`

/** Stands for the oldest actions where not all are listed. */
export const earlierActions = (count: number): string =>
  `(... and ${plural(count, 'earlier action')})`
