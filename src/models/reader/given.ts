import { type Action, readActions } from '../../log/actions.ts'
import type { Message, MessageLike } from '../../log/message.ts'
import { parseMessage } from '../../log/parse-message.ts'
import { actionsTitle } from '../../log/texts.ts'
import { noteToolName } from '../../notes/note-instruction.ts'
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
  /** The calls of these rounds with their results, without notes. */
  readonly actions: readonly Action[]
  /** How many actions of this turn were cut from the context, by the count of its journal. */
  readonly cutActions: number
}

/** Reads messages of any dialect. Throws InvalidMessageError. */
export function readGiven(raw: readonly MessageLike[]): Given {
  const messages = raw.map(parseMessage)
  // The journal of an open turn is a user message that no user wrote.
  const askedAt = messages.findLastIndex(
    ({ role, text }) => role === 'user' && !text.startsWith(actionsTitle),
  )
  const system = messages.filter(({ role }) => role === 'system').map(({ text }) => text)
  const turn = messages.slice(askedAt + 1)
  return {
    messages,
    system: system.join('\n'),
    asked: askedAt < 0 ? '' : ownParagraphs(messages[askedAt]!.text),
    askedAt,
    turn,
    actions: readActions(turn).filter(({ call }) => call.name !== noteToolName),
    cutActions: countCutActions(messages.slice(Math.max(0, askedAt))),
  }
}

/** The highest number in a journal: its lines keep their numbers when older ones collapse. */
function countCutActions(messages: readonly Message[]): number {
  return messages
    .filter(({ role }) => role === 'user' || role === 'system')
    .flatMap(({ text }) => splitSections(text))
    .reduce((most, { action = 0 }) => Math.max(most, action), 0)
}
