import type { Reply } from '@throughline/chat'
import type { TurnPart } from '@throughline/chat/turn'
import type { Message } from '@throughline/core/messages'
import type { ApplicationState, SaidPart } from '@throughline/gallery/application'
import type { LoggedMessage } from '@throughline/history/log'
import type { Thread } from '@throughline/history/threads'
import { toFault } from '@throughline/server/to-fault'

/** One turn of a thread: what was asked, what was answered, and all that the log has of it. */
export interface TalkTurn {
  readonly turn: number
  readonly status: string
  readonly first: number
  readonly last: number
  readonly asked: string
  /** The last text of the answer. */
  readonly answer: string
  readonly note: string | undefined
  readonly messages: readonly Message[]
}

/** The turns that an application reads to know what has happened. Older ones stay in the log. */
const mostTurns = 500

export async function readTalk(thread: Thread): Promise<readonly TalkTurn[]> {
  const turns = (await thread.turns()).slice(-mostTurns)
  const [from, to] = [turns[0]?.first ?? 1, turns.at(-1)?.last ?? 0]
  const entries = to === 0 ? [] : await thread.entries({ at: to, limit: to - from + 1 })
  return turns.map(({ turn, status, first, last }) => {
    const own = entries.filter(({ seq }) => first <= seq && seq <= last)
    const messages = own.map(({ reading }) => reading)
    return { turn, status, first, last, ...textsIn(own, messages), messages }
  })
}

function textsIn(entries: readonly LoggedMessage[], messages: readonly Message[]) {
  const isShown = (at: number) => !entries[at]!.isClosing && !entries[at]!.isBroken
  const last = (role: string) =>
    messages.findLast((message, at) => message.role === role && message.text !== '' && isShown(at))
      ?.text
  return {
    asked: last('user') ?? '',
    answer: last('assistant') ?? '',
    note: last('assistant_note'),
  }
}

/** What was said, for the page. `tell` says how an answer is shown; default: as it is. */
export const toSaid = <Turn extends TalkTurn>(
  turns: readonly Turn[],
  tell: (turn: Turn) => string = ({ answer }) => answer,
): ApplicationState['said'] =>
  turns.flatMap(one => {
    const { turn, status, first, last, asked, note } = one
    return [
      { seq: first, turn, from: 'visitor' as const, text: asked },
      {
        seq: last,
        turn,
        from: 'application' as const,
        text: tell(one),
        ...(note !== undefined && { note }),
        ...(status !== 'completed' && { status }),
      },
    ]
  })

/** The parts of a reply that a visitor may see. A fault is told in words, and the words of the visitor are not lost. */
export async function* toSaidParts(
  reply: Reply | AsyncIterable<TurnPart>,
): AsyncGenerator<SaidPart> {
  try {
    for await (const part of reply) {
      if (part.type === 'text-delta') yield { type: 'text', text: part.text }
      if (part.type === 'error') yield { type: 'problem', message: toFault(part.error).message }
    }
  } catch (error) {
    yield { type: 'problem', message: toFault(error).message }
  }
}
