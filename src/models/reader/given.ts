import type { Message, MessageLike } from '../../log/message.ts'
import { parseMessage } from '../../log/parse-message.ts'
import { actionsTitle } from '../../log/texts.ts'
import { ownParagraphs, splitSections } from './sections.ts'

/** What a call puts before the reader, and all that it knows. */
export interface Given {
  readonly messages: readonly Message[]
  /** The system messages, joined. */
  readonly system: string
  /** The latest thing that the user said, without what was inserted around it; empty when there is none. */
  readonly asked: string
  /** The place of the message that says it; -1 when there is none. */
  readonly askedAt: number
  /** What was done since: rounds of tool calls. */
  readonly turn: readonly Message[]
  /** How many actions of this turn were cut from the context, as the journal in their place counts them. */
  readonly cutActions: number
}

/** Reads messages of any dialect; throws InvalidMessageError for what is no message. */
export function readGiven(raw: readonly MessageLike[]): Given {
  const messages = raw.map(parseMessage)
  const askedAt = messages.findLastIndex(({ role, text }) => role === 'user' && !isJournal(text))
  const system = messages.filter(({ role }) => role === 'system').map(({ text }) => text)
  return {
    messages,
    system: system.join('\n'),
    asked: askedAt < 0 ? '' : ownParagraphs(messages[askedAt]!.text),
    askedAt,
    turn: messages.slice(askedAt + 1),
    cutActions: countCutActions(messages.slice(Math.max(0, askedAt))),
  }
}

/** The journal of an open turn is sent as a user message, but no user wrote it. */
function isJournal(text: string): boolean {
  return text.startsWith(actionsTitle)
}

/** Lines of a journal keep their numbers when older ones collapse: the highest is how many there were. */
function countCutActions(messages: readonly Message[]): number {
  return messages
    .filter(({ role }) => role === 'user' || role === 'system')
    .flatMap(({ text }) => splitSections(text))
    .reduce(
      (most, section) =>
        section.kind === 'action' && section.isThisTurn ? Math.max(most, section.number) : most,
      0,
    )
}
