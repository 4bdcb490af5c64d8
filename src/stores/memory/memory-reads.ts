import type { ConversationInfo, Store } from '../store.ts'
import { hasWords, snippet, toWanted } from '../words.ts'
import { type Conversation, type Memory, openTurn } from './memory.ts'

export function memoryReads(memory: Memory) {
  return {
    async head(thread) {
      const branch = memory.peek(thread)
      if (!branch) return undefined
      const { entries, turns, forkOf, leases } = branch
      const turn = openTurn(branch)
      const expiresInMs = memory.heldMs(branch)
      return {
        head: entries.length,
        turns: turns.length,
        ...(turn && { open: { ...turn, lease: leases.get(turn.turn)!, expiresInMs } }),
        ...(forkOf && { forkOf }),
      }
    },
    async *entries(thread, { from = 1, to, reverse, limit } = {}) {
      const all = memory.peek(thread)?.entries ?? []
      const part = all.slice(Math.max(1, from) - 1, Math.max(0, to ?? all.length))
      yield* (reverse ? part.reverse() : part).slice(0, limit)
    },
    turns: async thread => [...(memory.peek(thread)?.turns ?? [])],
    async calls(thread, { limit } = {}) {
      return [...(memory.peek(thread)?.calls.values() ?? [])].reverse().slice(0, limit)
    },
    async loadCache(thread, key) {
      const cache = memory.peek(thread)?.caches.get(key)
      return cache && { at: cache.at, bytes: cache.bytes.slice() }
    },
    async findMarks(tenant, marks, { limit = 16 } = {}) {
      return [...new Set(marks)].flatMap(mark => memory.placesOf(tenant, mark).slice(0, limit))
    },
    async conversations(tenant, { only, after, limit, order = 'recent' } = {}) {
      const compare = orders[order]
      return memory
        .ofTenant(tenant)
        .filter(({ conversation }) => only === undefined || conversation === only)
        .filter(conversation => !after || compare(conversation, after) > 0)
        .sort(compare)
        .slice(0, limit)
        .map(toInfo)
    },
    async search(tenant, query, { limit = 20 } = {}) {
      const wanted = toWanted(query)
      if (wanted.length === 0) return []
      const branches = memory.ofTenant(tenant).flatMap(({ branches }) => [...branches.values()])
      // The branch's own entries: the shared past is found in the branch that wrote it.
      const hits = branches.flatMap(({ thread, number, entries, forkOf }) =>
        entries
          .slice(forkOf?.at ?? 0)
          .filter(({ payload }) => hasWords(payload, wanted))
          .map(entry => ({ ...entry, thread, number })),
      )
      return hits
        .sort((a, b) => b.time - a.time || b.number - a.number || b.seq - a.seq)
        .slice(0, limit)
        .map(({ thread, seq, role, time, payload }) => {
          return { thread, seq, role, time, snippet: snippet(payload, wanted) }
        })
    },
    check: async () => [],
  } satisfies Partial<Store>
}

/** Orders by code point, as databases that compare UTF-8 bytes do; JavaScript compares UTF-16 units. */
function byCodePoint(a: string, b: string): number {
  const [left, right] = [[...a], [...b]]
  const at = left.findIndex((character, n) => character !== right[n])
  if (at < 0) return left.length - right.length
  return left[at]!.codePointAt(0)! - (right[at]?.codePointAt(0) ?? -1)
}

type Place = Pick<ConversationInfo, 'conversation' | 'updatedAt'>

const orders = {
  name: (a: Place, b: Place) => byCodePoint(a.conversation, b.conversation),
  recent: (a: Place, b: Place) => b.updatedAt - a.updatedAt || orders.name(a, b),
}

const toInfo = (found: Conversation): ConversationInfo => ({
  conversation: found.conversation,
  createdAt: found.createdAt,
  updatedAt: found.updatedAt,
  ...(found.title !== null && { title: found.title }),
  ...(found.metadata !== null && { metadata: JSON.parse(found.metadata) }),
  threads: [...found.branches.values()]
    .map(({ thread: { actor, branch }, entries, updatedAt }) => ({
      ...{ actor, branch, head: entries.length, updatedAt },
    }))
    .sort((a, b) => byCodePoint(a.actor, b.actor) || byCodePoint(a.branch, b.branch)),
})
