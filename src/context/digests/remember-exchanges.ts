import type { Message } from '../../log/message.ts'
import type { Exchange } from './index.ts'

/** Remembers what a function of an exchange gave: older exchanges never change, and each turn asks for them again. */
export function rememberExchanges<T>(make: (exchange: Exchange) => T): (exchange: Exchange) => T {
  const known = new WeakMap<Message, { readonly size: number; readonly request: string; readonly value: T }>()
  return exchange => {
    const last = exchange.messages.at(-1)
    if (!last) return make(exchange)
    const before = known.get(last)
    const { request, messages } = exchange
    if (before && before.size === messages.length && before.request === request) return before.value
    const value = make(exchange)
    known.set(last, { size: messages.length, request, value })
    return value
  }
}
