/** Every text that a context may hold and that neither the user nor the model wrote. One place, so none is a surprise. */

/** Says that something was left out; stands once, right after the first user message. */
export const markerText = '[Several conversation turns removed to conserve context.]'

/** The result of a call that was never answered. */
export const interruptedResult = 'Error: interrupted'

/** Answers a digest where user and assistant must take turns. */
export const acknowledgement = '(acknowledged)'

/** Opens a conversation that the assistant began, where a template wants a user first. */
export const openingText = '[The assistant begins.]'

/** How a note stands in the reply that it ended. */
export const inlineNote = (text: string, nonce?: string): string =>
  `[NOTE TO SELF${nonce === undefined ? '' : ` ${nonce}`}: ${text}]`

export const notesTitle = 'RECENT NOTES TO SELF:'

/** Stands in the middle of a text that had to be cut. */
export const cutMark = (tokens: number): string => ` [… ${tokens} tokens cut here …] `

/** The first line of a block of recalled entries. */
export const recallTitle = '[Earlier in this conversation:]'

/** Before the journal of the rounds that were cut from a turn that is still open. */
export const actionsTitle = '[Actions so far in this turn:]'

/** Before the journal of the turn that ended at the cut. */
export const previousActionsTitle = '[Summary of previous turn actions:]'
