import { useSyncExternalStore } from 'react'

export type Observable<Value> = ReturnType<typeof observable<Value>>

/** A value outside of React that components can follow. */
export function observable<Value>(first: Value) {
  let value = first
  const listeners = new Set<() => void>()
  const get = () => value
  /** Returns a function that ends the subscription. */
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const set = (next: Value) => {
    if (Object.is(next, value)) return
    value = next
    for (const listener of listeners) listener()
  }
  return { get, set, subscribe, use: () => useSyncExternalStore(subscribe, get) }
}
