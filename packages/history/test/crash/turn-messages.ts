import type { MessageLike } from '@throughline/core/messages'

/** A turn of the crash tests. Every text says which turn it belongs to and which part of it it is. */
export interface TurnMessages {
  readonly question: MessageLike
  readonly round: readonly MessageLike[]
  readonly reply: MessageLike
  readonly note: string
}

/** The parts in the order of the log. */
export const parts = ['question', 'call', 'result', 'reply', 'note'] as const

export type Part = (typeof parts)[number]

export function turnMessages(name: string, turn: number): TurnMessages {
  const text = (part: Part) => partText(name, turn, part)
  // Some kilobytes, so that a transaction has more than one page.
  const ballast = 'the heron stands in the shallow water '.repeat(turn % 3 === 0 ? 150 : 3)
  const calls = [{ id: `${name}-${turn}`, function: { name: 'look', arguments: { turn } } }]
  return {
    question: { role: 'user', content: text('question') } as MessageLike,
    round: [
      { role: 'assistant', content: text('call'), tool_calls: calls } as MessageLike,
      {
        role: 'tool',
        tool_call_id: `${name}-${turn}`,
        content: `${text('result')} ${ballast}`,
      } as MessageLike,
    ],
    reply: { role: 'assistant', content: text('reply') } as MessageLike,
    note: text('note'),
  }
}

export const partText = (name: string, turn: number, part: Part) => `[${name} ${turn} ${part}]`

/** The mark that partText has put at the head of a content. */
export const markOf = (content: string): string | undefined => /^\[\S+ \d+ \w+\]/.exec(content)?.[0]

export const partOf = (mark: string): string => mark.slice(1, -1).split(' ')[2]!
