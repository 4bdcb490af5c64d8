import { breathe, createRests } from '@throughline/history/log'
import type { Store } from '@throughline/stores/store'

/** How many marks are looked for, or saved, without a pause. */
const marksInRow = 256

/** A store that yields now and then: those in memory and in a file answer at once, and long loops would block other requests. */
export function restingStore(store: Store): Store {
  return {
    ...store,
    async *entries(thread, range) {
      const rest = createRests()
      for await (const entry of store.entries(thread, range)) {
        yield entry
        const pause = rest(entry.payload.length)
        if (pause) await pause
      }
    },
    async findMarks(tenant, marks, options) {
      if (marks.length >= marksInRow) await breathe()
      return store.findMarks(tenant, marks, options)
    },
    // The same mark again changes nothing, so the pieces need not be one.
    async saveMarks(thread, marks) {
      for (let at = 0; at === 0 || at < marks.length; at += marksInRow) {
        await store.saveMarks(thread, marks.slice(at, at + marksInRow))
        if (at + marksInRow < marks.length) await breathe()
      }
    },
  }
}
