import { type MessageLike, readMessage } from '@throughline/core/messages'

/** A message for a terminal: who says it, its text, and the calls that it makes. */
export function messageLine(message: MessageLike, seq: number): string {
  const { role, text, calls, results } = readMessage(message, seq)
  const [name] = results.flatMap(result => (result.name === undefined ? [] : [` ${result.name}`]))
  const made = calls.map(call => `→ ${call.name}(${call.arguments})`)
  return `${role}${name ?? ''}: ${[text, ...made].filter(part => part !== '').join(' ')}`
}
