import { observable } from './observable.ts'

/** Whether the server answers: `live` while its events are heard, `away` since it gave no answer. */
export type ServerConnection =
  | { readonly state: 'joining' }
  | { readonly state: 'live' }
  | { readonly state: 'away'; readonly since: number }

export const connection = observable<ServerConnection>({ state: 'joining' })

/** Keeps the time of the first failure until the server is back. */
export function noteAway(): void {
  if (connection.get().state !== 'away') connection.set({ state: 'away', since: Date.now() })
}
