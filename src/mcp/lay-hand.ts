import type { Hands, History, Thread } from '../history/index.ts'
import { findThread, type NamedThread } from './find-thread.ts'

export interface HandRequest extends NamedThread {
  readonly kind: 'pin' | 'hide'
  readonly place: number
  readonly undo: boolean
  readonly handsOf: (thread: Thread) => Hands
}

/** Pins or hides a message, or takes that back, and says what it holds for. */
export async function layHand(
  history: History,
  { kind, place, undo, handsOf, ...name }: HandRequest,
): Promise<string> {
  const { thread } = await findThread(history, name)
  const { first, last } = await handsOf(thread)[undo ? (`un${kind}` as const) : kind](place)
  const messages = first === last ? `#${first} is` : `#${first} to #${last} are`
  return `${messages} ${undo ? 'no longer ' : ''}${kind === 'pin' ? 'pinned' : 'hidden'}.`
}
