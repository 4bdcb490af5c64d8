import { textAt } from '../lib/texts.mjs'

/**
 * Writes a thread as a service leaves it: its checkpoints are stored, as contexts were made while it grew. At one time, so
 * that the same build gives the same bytes.
 */
export async function writeThread({ createHistory, sqliteStore }, path, size) {
  const store = sqliteStore({ path })
  const thread = createHistory({ store, window: 4096, now: () => 1 }).thread('talk')
  for (let from = 0; from < size; from += 1000) {
    const messages = Array.from({ length: Math.min(1000, size - from) }, (_, at) => ({
      role: (from + at) % 2 === 0 ? 'assistant' : 'user',
      content: textAt(from + at),
    }))
    await thread.seed(...messages)
  }
  await thread.context()
  await store.close()
}
