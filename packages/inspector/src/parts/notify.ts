import { observable } from '../api/observable.ts'

export interface Notification {
  readonly id: number
  readonly text: string
  readonly kind: 'plain' | 'danger'
}

export const notifications = observable<readonly Notification[]>([])

let next = 1

export function notify(text: string, kind: Notification['kind'] = 'plain'): void {
  const id = next++
  notifications.set([...notifications.get().slice(-2), { id, text, kind }])
  setTimeout(() => notifications.set(notifications.get().filter(one => one.id !== id)), 4000)
}
