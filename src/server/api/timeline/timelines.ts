import type { ThreadKey } from '../../../stores/store.ts'
import type { Timeline } from './create-timeline.ts'

export type Timelines = ReturnType<typeof createTimelines>

/** The most entries that all timelines hold in memory. One alone may have more. */
const mostEntries = 60_000
const mostTimelines = 32
const lifeMs = 600_000

/** The timelines that were asked for last, so that a page that looks again gets only what is new. */
export function createTimelines() {
  const all = new Map<string, { readonly thread: ThreadKey; readonly timeline: Timeline; usedAt: number }>()
  const nameOf = ({ tenant, conversation, actor, branch }: ThreadKey, settings: string) =>
    JSON.stringify([tenant, conversation, actor, branch, settings])

  /** Drops the least recently used timelines; the newest always stays. */
  function tidy(): void {
    let entries = 0
    for (const [name, { timeline, usedAt }] of [...all].reverse()) {
      entries += timeline.size
      const isNewest = entries === timeline.size
      if (!isNewest && (entries > mostEntries || Date.now() - usedAt > lifeMs)) all.delete(name)
    }
    while (all.size > mostTimelines) all.delete(all.keys().next().value!)
  }

  return {
    get(thread: ThreadKey, settings: string): Timeline | undefined {
      const name = nameOf(thread, settings)
      const entry = all.get(name)
      if (!entry) return undefined
      all.delete(name)
      all.set(name, { ...entry, usedAt: Date.now() })
      tidy()
      return entry.timeline
    },
    keep(thread: ThreadKey, settings: string, timeline: Timeline): void {
      all.set(nameOf(thread, settings), { thread, timeline, usedAt: Date.now() })
      tidy()
    },
    drop(tenant: string, conversation: string): void {
      for (const [name, { thread }] of all)
        if (thread.tenant === tenant && thread.conversation === conversation) all.delete(name)
    },
  }
}
