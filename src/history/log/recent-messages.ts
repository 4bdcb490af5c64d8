import type { MessageLike } from '../../log/message.ts'
import { type LogSource, listLog } from './read-log.ts'

/** How many messages stay when the oldest are dropped, which happens at twice as many. */
const fewest = 1024

/** The newest messages of a thread in full: tools read them in every turn. */
export function createRecentMessages(source: LogSource) {
  let from = 1
  let messages: MessageLike[] = []

  /** Cuts where a round begins: a result is useless without its call. */
  function letOldestGo(): void {
    let cut = messages.length - fewest
    // A round of very many results stays whole: only the newest messages are looked at, however long it is.
    while (cut < messages.length && messages[cut]!.role !== 'user' && messages[cut]!.role !== 'assistant')
      cut += 1
    if (cut === messages.length) return
    messages = messages.slice(cut)
    from += cut
  }

  return {
    /** Forgets all messages; the next one has this place. */
    restart(place: number): void {
      from = place
      messages = []
    },
    add(message: MessageLike): void {
      messages.push(message)
      if (messages.length > 2 * fewest) letOldestGo()
    },
    /** The messages, and the place of the first. */
    async read(): Promise<{ readonly from: number; readonly messages: readonly MessageLike[] }> {
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
