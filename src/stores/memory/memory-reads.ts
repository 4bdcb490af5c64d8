import { checkLimit, checkName, checkNames, checkPage, checkRange } from '../check-input.ts'
import { hasWords, toWanted } from '../has-words.ts'
import { snippet } from '../snippet.ts'
import type { ConversationInfo, EntryRange, Found, Store, StoredEntry, ThreadKey } from '../store.ts'
import type { Conversation, Memory } from './memory.ts'
import { type Branch, heldMs, openTurn } from './memory-branch.ts'

type Reads = Pick<
  Store,
  'head' | 'entries' | 'turns' | 'calls' | 'loadCache' | 'conversations' | 'search' | 'check'
>

export function memoryReads(memory: Memory): Reads {
  return {
    async head(thread) {
      const branch = memory.peek(thread)
      if (!branch) return undefined
      const { entries, turns, forkOf, leases } = branch
      const turn = openTurn(branch)
      const expiresInMs = heldMs(branch, memory.now())
      return {
        head: entries.length,
        turns: turns.length,
        ...(turn && { open: { ...turn, lease: leases.get(turn.turn)!, expiresInMs } }),
        ...(forkOf && { forkOf }),
      }
    },
    async *entries(thread, range = {}) {
      checkRange(range)
      yield* pick(memory.peek(thread)?.entries ?? [], range)
    },
    turns: async thread => [...(memory.peek(thread)?.turns ?? [])],
    async calls(thread, { limit } = {}) {
      checkLimit(limit)
      return [...(memory.peek(thread)?.calls.values() ?? [])].reverse().slice(0, limit)
    },
    async loadCache(thread, key) {
      checkNames({ key })
      const cache = memory.peek(thread)?.caches.get(key)
      return cache && { at: cache.at, bytes: cache.bytes.slice() }
    },
    async conversations(tenant, options = {}) {
      checkName('tenant', tenant)
      checkPage(options)
      const { after, limit, order = 'recent' } = options
      const compare = orders[order]
      return ofTenant(tenant)
        .filter(conversation => !after || compare(conversation, after) > 0)
        .sort(compare)
        .slice(0, limit)
        .map(toInfo)
    },
    async search(tenant, query, { limit = 20 } = {}) {
      checkName('tenant', tenant)
      checkLimit(limit)
      const wanted = toWanted(query)
      if (wanted.length === 0) return []
      const found = ofTenant(tenant).flatMap(({ branches }) =>
        [...branches.values()].flatMap(branch => searchBranch(branch, wanted)),
      )
      return found
        .sort((a, b) => b.time - a.time || b.number - a.number || b.seq - a.seq)
        .slice(0, limit)
        .map(toFound)
    },
    check: async () => [],
  }

  function ofTenant(tenant: string) {
    return memory.all().filter(conversation => conversation.tenant === tenant)
  }
}

/** At most `limit` entries, from the first or from the last. */
function pick(
  entries: readonly StoredEntry[],
  { from = 1, to = entries.length, reverse, limit }: EntryRange,
) {
  const part = entries.slice(Math.max(1, from) - 1, Math.max(0, to))
  return (reverse ? part.reverse() : part).slice(0, limit)
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
  recent: (a: Place, b: Place) => b.updatedAt - a.updatedAt || byCodePoint(a.conversation, b.conversation),
}

const toInfo = (found: Conversation): ConversationInfo => ({
  conversation: found.conversation,
  createdAt: found.createdAt,
  updatedAt: found.updatedAt,
  ...(found.title !== null && { title: found.title }),
  ...(found.metadata !== null && { metadata: JSON.parse(found.metadata) }),
  threads: [...found.branches.values()].map(toThread).sort(byName),
})

const toThread = ({ thread: { actor, branch }, entries }: Branch) => ({ actor, branch, head: entries.length })

const byName = (a: { actor: string; branch: string }, b: { actor: string; branch: string }) =>
  byCodePoint(a.actor, b.actor) || byCodePoint(a.branch, b.branch)

interface Hit extends StoredEntry {
  readonly thread: ThreadKey
  readonly number: number
  readonly wanted: readonly string[]
}

/** Searches the branch's own entries: the shared past is found in the branch that wrote it. */
function searchBranch({ thread, number, entries, forkOf }: Branch, wanted: readonly string[]): Hit[] {
  const own = entries.slice(forkOf?.at ?? 0)
  return own.flatMap(entry => (hasWords(entry.payload, wanted) ? [{ ...entry, thread, number, wanted }] : []))
}

const toFound = ({ thread, seq, role, time, payload, wanted }: Hit): Found => ({
  thread,
  seq,
  role,
  time,
  snippet: snippet(payload, wanted),
})
