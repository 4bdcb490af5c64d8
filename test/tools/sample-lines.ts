import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface SampleMessage {
  readonly role: string
  readonly content?: unknown
  readonly time?: string
}

/** A list of messages as the lines of an export: a turn begins with each user message. */
export function toLines(
  messages: readonly SampleMessage[],
  about: { readonly conversation: string; readonly title: string; readonly person?: string },
): string {
  const times: number[] = []
  for (const { time } of messages)
    times.push(time === undefined ? (times.at(-1) ?? Date.UTC(2026, 2, 2, 8)) : Date.parse(time))
  const starts = messages.flatMap(({ role }, at) => (role === 'user' ? [at] : []))
  let turn = 0
  const records: object[] = [
    { kind: 'conversation', throughline: 1, ...about },
    { kind: 'thread', actor: 'assistant', branch: 'main' },
  ]
  for (const [at, message] of messages.entries()) {
    if (starts[turn] === at) {
      const last = (starts[turn + 1] ?? messages.length) - 1
      turn += 1
      records.push({
        ...{ kind: 'turn', turn, status: 'completed', first: at + 1, last: last + 1 },
        ...{ startedAt: times[at], endedAt: times[last] },
      })
    }
    const entry = { seq: at + 1, id: `${at + 1}`, turn, role: message.role, time: times[at] }
    records.push({ kind: 'entry', ...entry, payload: { value: { message } } })
  }
  records.push({ kind: 'end', conversation: about.conversation, entries: messages.length })
  return records.map(record => `${JSON.stringify(record)}\n`).join('')
}

const chat = join(import.meta.dirname, '../../examples/project-chat.json')

/** The project chat of 168 turns. */
export const projectChat = (conversation: string): string =>
  toLines(JSON.parse(readFileSync(chat, 'utf8')) as readonly SampleMessage[], {
    conversation,
    title: 'Toad patrol',
  })
