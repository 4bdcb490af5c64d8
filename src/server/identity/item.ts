import type { LoggedMessage } from '../../history/index.ts'
import type { MessageLike } from '../../log/message.ts'
import { readMessage } from '../../log/parse-message.ts'
import { notedResult } from '../../log/texts.ts'

/**
 * What two copies of a message have in common: its role and the text that a user sees, or the names of the tools that it
 * calls. Clients change the rest when they send a message again: thoughts, ids, arguments, the text beside calls. Undefined
 * for messages that clients add, leave out and change as they like: system messages and notes.
 */
export function itemOf(message: MessageLike, seq: number): string | undefined {
  const known = items.get(message)
  if (known !== undefined) return known ?? undefined
  const item = readItem(message, seq)
  items.set(message, item ?? null)
  return item
}

/** Of a long list most messages come again, as the same objects. */
const items = new WeakMap<MessageLike, string | null>()

function readItem(message: MessageLike, seq: number): string | undefined {
  const { role, text, calls } = readMessage(message, seq)
  if (role === 'system' || role === 'assistant_note') return undefined
  if (calls.length > 0) return `${role}!${calls.map(({ name }) => name).join('\n')}`
  return `${role}:${(role === 'assistant' ? withoutThoughts(text) : text).trim()}`
}

/** Whether one of two texts of an assistant is the beginning of the other: a client keeps what it got before it left. */
export function isBeginning(one: string, other: string): boolean {
  return one.startsWith('assistant:') && (other.startsWith(one) || one.startsWith(other))
}

/** Whether a client gave it: a user's message, or the result of a tool that is not our own. */
export const isGiven = ({ message: { role, content }, isClosing }: LoggedMessage): boolean =>
  role === 'user' || (role === 'tool' && !isClosing && content !== notedResult)

/** Cuts out thoughts as clients keep them in the text. A block that never ends is ordinary text. */
function withoutThoughts(text: string): string {
  let rest = text
  for (const [open, close] of thoughts) {
    if (!rest.includes(open)) continue
    const kept: string[] = []
    let at = 0
    for (;;) {
      const start = rest.indexOf(open, at)
      const end = start < 0 ? -1 : rest.indexOf(close, start)
      if (end < 0) break
      kept.push(rest.slice(at, start))
      at = end + close.length
    }
    rest = kept.join('') + rest.slice(at)
  }
  return rest
}

const thoughts = [
  ['<think>', '</think>'],
  ['<details type="reasoning"', '</details>'],
] as const
