import type { Message, MessageLike } from '../../log/message.ts'
import { parseMessage } from '../../log/parse-message.ts'
import { actionsTitle } from '../../log/texts.ts'
import { ownParagraphs, splitSections } from './sections.ts'

/** All that the reader knows in a call. */
export interface Given {
  readonly messages: readonly Message[]
  /** The system messages, joined. */
  readonly system: string
  /** The latest words of the user, without insertions; empty if there are none. */
  readonly asked: string
  /** The place of the message that holds `asked`; -1 if there is none. */
  readonly askedAt: number
  /** The messages since: rounds of tool calls. */
  readonly turn: readonly Message[]
  /** How many actions of this turn were cut from the context, by the count of its journal. */
  readonly cutActions: number
}

/** Reads messages of any dialect. Throws InvalidMessageError. */
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

/** Whether a user message is the journal of an open turn, which no user wrote. */
function isJournal(text: string): boolean {
  return text.startsWith(actionsTitle)
}

/** The highest number in a journal: its lines keep their numbers when older ones collapse. */
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
