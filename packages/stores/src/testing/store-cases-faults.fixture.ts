import type { RestoreEntries, Store, StoredEntry, StoredTurn, ThreadKey } from '../store.ts'

/** Faulty ways to restore, which the suite must catch. */
export const restoreFaults: Record<string, (store: Store) => Partial<Store>> = {
  'restores under new ids': onEntries((entry, salt) => ({ ...entry, id: `${entry.id} ${salt}` })),
  'restores with the time of today': onEntries((entry, salt) => ({
    ...entry,
    time: entry.time + salt,
  })),
  'restores without token counts': onEntries(entry => ({ ...entry, tokens: {} })),
  'restores another payload': onEntries(entry => ({
    ...entry,
    payload: entry.payload.replace('c', 'C'),
  })),
  'restores without keys': onTurns(({ key: _, ...turn }) => turn),
  'restores without bodies': onTurns(({ body: _, ...turn }) => turn),
  'restores without errors': onTurns(({ error: _, ...turn }) => turn),
  'restores as if it began now': onTurns(turn => ({ ...turn, startedAt: turn.startedAt + 1 })),
  'restores as if all went well': onTurns(turn =>
    turn.status === 'open' ? turn : { ...turn, status: 'completed' },
  ),
  'closes what it restores': onTurns(turn =>
    turn.status === 'open' ? { ...turn, status: 'interrupted', endedAt: turn.startedAt } : turn,
  ),
  'restores without turns': onStretch(({ entries, ...stretch }) => ({
    ...stretch,
    entries: entries.map(entry => ({ ...entry, turn: 0 })),
    turns: [],
  })),
  'forgets where a branch came from': onStretch(({ entries, turns }) => ({ entries, turns })),
  'takes a conflict for something that is there': forgives('conflict'),
  'takes nonsense for something that is there': forgives('invalid_option'),
  'writes after an open turn': forgives('turn_open'),
  'takes a key that was used for something that is there': forgives('key_reused'),
  'takes what was deleted for something that is there': forgives('conversation_deleted'),
  'leaves a half behind when it refuses': store => ({
    restore: (thread, stretch) =>
      store.restore(thread, stretch).catch(async error => {
        const entries = stretch.entries.map(entry => ({ ...entry, turn: 0 }))
        await store.restore(thread, { entries, turns: [] }).catch(() => {})
        throw error
      }),
  }),
  'restores but once': store => ({
    restore: async (thread, stretch) => {
      if (!stretch.forkOf && (await store.head(thread))) throw new Error('it is there already')
      return store.restore(thread, stretch)
    },
  }),
  'adds what it has again': store => ({
    restore: async (thread, stretch) => {
      const before = await store.head(thread)
      const after = await store.restore(thread, stretch)
      if (before?.head !== after.head || before.open) return after
      const [first] = stretch.entries
      const again = first ? [{ ...first, id: crypto.randomUUID() }] : []
      return store.seed(thread, { expectedHead: after.head, entries: again })
    },
  }),
  'leaves a lease on what it restores': store => ({
    head: async thread => {
      const head = await store.head(thread)
      return head?.open?.lease.owner === ''
        ? { ...head, open: { ...head.open, expiresInMs: 1 } }
        : head
    },
  }),
  'lets the old writer go on': store => ({
    append: async (thread, append) => {
      const lease = (await store.head(thread))?.open?.lease
      return store.append(thread, lease?.owner === '' ? { ...append, lease } : append)
    },
  }),
  'dates what it restores today': store => ({
    conversations: async (...args) =>
      (await store.conversations(...args)).map(info => ({ ...info, createdAt: Date.now() })),
  }),
  'goes by the last restore alone': store => {
    const last = new Map<string, number>()
    return {
      restore: async (thread, stretch) => {
        const restored = await store.restore(thread, stretch)
        last.set(thread.conversation, stretch.turns.at(-1)?.endedAt ?? 0)
        return restored
      },
      conversations: async (...args) =>
        (await store.conversations(...args)).map(info => ({
          ...info,
          updatedAt: last.get(info.conversation) ?? info.updatedAt,
        })),
    }
  },
  'does not find what it restored': store => {
    const restored = new Set<string>()
    return {
      restore: (thread, stretch) => {
        restored.add(thread.conversation)
        return store.restore(thread, stretch)
      },
      findWords: async (...args) =>
        (await store.findWords(...args)).map(places =>
          places.filter(({ thread }) => !restored.has(thread.conversation)),
        ),
    }
  },
}

type StoreFault = (store: Store) => Partial<Store>

function onStretch(change: (stretch: RestoreEntries) => RestoreEntries): StoreFault {
  return store => ({ restore: (thread, stretch) => store.restore(thread, change(stretch)) })
}

/** A fault in the stored entries; `salt` is a new number each time. */
function onEntries(change: (entry: StoredEntry, salt: number) => StoredEntry): StoreFault {
  let salt = 0
  return onStretch(stretch => ({
    ...stretch,
    entries: stretch.entries.map(entry => change(entry, ++salt)),
  }))
}

function onTurns(change: (turn: StoredTurn) => StoredTurn): StoreFault {
  return onStretch(stretch => ({ ...stretch, turns: stretch.turns.map(change) }))
}

function forgives(code: string): StoreFault {
  return store => ({
    restore: (thread: ThreadKey, stretch: RestoreEntries) =>
      store.restore(thread, stretch).catch(error => {
        if (error.code !== code) throw error
        return { head: 0 }
      }),
  })
}
