import type { MessageLike } from '../log/message.ts'
import { assistant, calls, note, result, system, user } from './builders.ts'

/** A conversation with turns, rounds of tools, notes, stray results and late system messages. The same seed gives the same one. */
export function randomConversation(seed: number, length = 30): readonly MessageLike[] {
  const random = createRandom(seed)
  const text = () =>
    Array.from({ length: 1 + random(20) }, () => vocabulary[random(vocabulary.length)]).join(' ')
  const messages: MessageLike[] = random(2) ? [system(text())] : []
  while (messages.length < length) {
    const kind = random(12)
    if (kind === 0) messages.push(system(text()))
    else if (kind === 1) messages.push(note(text()))
    else if (kind === 2) messages.push(result('nobody', text()))
    else if (kind <= 5)
      messages.push(calls('read', 'run'), result('read', text()), result('run', text()))
    else if (kind === 6) messages.push(calls('read', 'run'), result('run', text()))
    else if (kind <= 8) messages.push(assistant(text()))
    else messages.push(user(text()))
  }
  return messages
}

const vocabulary = 'tide rope lamp river stone count paper seven north window quiet green'.split(
  ' ',
)

/** mulberry32: small, seeded, the same everywhere. */
export function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0
  return below => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below)
  }
}
