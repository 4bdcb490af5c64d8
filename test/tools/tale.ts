import type { Thread } from '@throughline/history/threads'

export const fact = 'Our automobile goes by Bertha.'
export const question = 'What did we name the car?'

const things = ['kettle', 'ladder', 'lantern', 'compass', 'whistle', 'drum', 'ledger']
const places = ['harbour', 'orchard', 'quarry', 'station', 'mill', 'ferry', 'museum', 'bridge']

/** What is said in a turn: the fact in the third, all others are about something else. */
export function said(turn: number): readonly [user: string, reply: string] {
  if (turn === 2) return [fact, 'A fine choice.']
  const [thing, place] = [things[turn % 7]!, places[turn % 8]!]
  return [
    `Shelf ${turn} of the ${place} holds a ${thing} that grandmother polished on rainy evenings with wax.`,
    `Noted: the ${place} keeps that ${thing}, polished and dry, on shelf ${turn}.`,
  ]
}

/** Goes on with a thread for some turns. */
export async function tell(thread: Thread, from: number, to: number): Promise<void> {
  for (let turn = from; turn < to; turn++) await sayOne(thread, ...said(turn))
}

async function sayOne(thread: Thread, user: string, reply: string): Promise<void> {
  const begun = await thread.begin({ role: 'user', content: user })
  if (begun.kind === 'begun') await begun.turn.complete({ role: 'assistant', content: reply })
}

/** Asks the question; the turn stays open. */
export async function ask(thread: Thread, text = question) {
  const begun = await thread.begin({ role: 'user', content: text })
  if (begun.kind !== 'begun') throw new Error('The turn was replayed')
  return begun.turn
}
