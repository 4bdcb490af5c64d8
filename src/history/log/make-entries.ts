import type { MessageLike } from '../../log/message.ts'
import type { NewEntry } from '../../stores/store.ts'
import type { SeenMessage } from './logged-message.ts'
import { createRests } from './rests.ts'

/** Makes the entries of messages. There may be thousands, so others get their turn in between. */
export async function makeEntries(
  messages: readonly (MessageLike | SeenMessage)[],
  newEntry: (message: MessageLike | SeenMessage) => NewEntry,
): Promise<readonly NewEntry[]> {
  const rest = createRests()
  const entries: NewEntry[] = []
  for (const message of messages) {
    const entry = newEntry(message)
    entries.push(entry)
    const pause = rest(entry.payload.length)
    if (pause) await pause
  }
  return entries
}
