import { listCalls, type MessageLike } from '@throughline/core/messages'
import { isObject } from '@throughline/core/values'
import type { LoggedMessage } from '@throughline/history/log'
import type { ClientMessage } from '../identity/client-message.ts'
import { looseText } from '../identity/item.ts'

/** The messages of a list that the log does not have in their place, and those of the log that the list does not have. */
export function compareLoose(wanted: readonly ClientMessage[], logged: readonly LoggedMessage[]) {
  const added: ClientMessage[] = []
  const gone: LoggedMessage[] = []
  /** The places of each text, the last one first. */
  const places = new Map<string, number[]>()
  for (const [at, { reading }] of [...logged.entries()].reverse()) {
    const text = looseText(reading)
    const same = places.get(text)
    if (same) same.push(at)
    else places.set(text, [at])
  }
  let next = 0
  for (const message of wanted) {
    const rest = places.get(looseText(message.reading)) ?? []
    while (rest.length > 0 && rest.at(-1)! < next) rest.pop()
    const place = rest.pop()
    if (place === undefined) added.push(message)
    else {
      for (const one of logged.slice(next, place)) gone.push(one)
      next = place + 1
    }
  }
  for (const one of logged.slice(next)) gone.push(one)
  return { added, gone }
}

/** A message of the log in the client's words. Calls and results keep the names by which they are pairs. */
export function wordedAs(
  { view, time }: Pick<LoggedMessage, 'view' | 'time'>,
  copy: MessageLike,
): MessageLike {
  if (view.role === 'tool') return { ...view, content: copy.content }
  const logged = listCalls({ ...view })
  const calls = listCalls({ ...copy }).map((call, at) => {
    const { id } = (logged[at] ?? {}) as { readonly id?: unknown }
    return isObject(call) && id !== undefined ? { ...call, id } : call
  })
  return { time, ...copy, ...(calls.length > 0 && { tool_calls: calls }) } as MessageLike
}

/** Reads one entry after the other, and looks ahead where that is needed. */
export function backwards(log: AsyncIterable<LoggedMessage>) {
  const iterator = log[Symbol.asyncIterator]()
  const ahead: LoggedMessage[] = []
  return {
    async peek(n: number): Promise<LoggedMessage | undefined> {
      while (ahead.length <= n) {
        const { done, value } = await iterator.next()
        if (done) return undefined
        ahead.push(value)
      }
      return ahead[n]
    },
    skip: () => void ahead.shift(),
  }
}

/** Whether a message holds thoughts. */
export const hasThoughts = (message: MessageLike): boolean =>
  'blocks' in message || (message.thinking !== undefined && message.thinking !== '')
