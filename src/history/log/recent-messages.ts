import type { MessageLike } from '../../log/message.ts'
import { type LogSource, listLog } from './read-log.ts'

/** The newest messages of a thread, whole, as they came: tools look at them in every turn. */
export interface RecentMessages {
  /** Forgets all; the next message has this place. */
  restart(place: number): void
  add(message: MessageLike): void
  /** The messages, and the place of the first. */
  read(): Promise<{ readonly from: number; readonly messages: readonly MessageLike[] }>
}

/** So many stay when the oldest are let go; until then there may be twice as many. */
const fewest = 1024

export function createRecentMessages(source: LogSource): RecentMessages {
  let from = 1
  let messages: MessageLike[] = []

  /** Where a round begins: a result says nothing without its call. */
  function letOldestGo(): void {
    const least = messages.length - fewest
    const cut = messages.findIndex(({ role }, at) => at >= least && (role === 'user' || role === 'assistant'))
    if (cut <= 0) return
    messages = messages.slice(cut)
    from += cut
  }

  return {
    restart(place) {
      from = place
      messages = []
    },
    add(message) {
      messages.push(message)
      if (messages.length > 2 * fewest) letOldestGo()
    },
    async read() {
      if (from > 1 && messages.length < fewest) {
        const limit = 2 * fewest - messages.length
        const older = await listLog(source, { to: from - 1, reverse: true, limit })
        messages = [...older.toReversed().map(({ message }) => message), ...messages]
        from -= older.length
        if (from > 1) letOldestGo()
      }
      return { from, messages: [...messages] }
    },
  }
}
