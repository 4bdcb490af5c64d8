import { InvalidOptionError } from 'throughline'
import {
  type ConversationInfo,
  checkedStore,
  type Found,
  hasWords,
  KeyReusedError,
  leaseTime,
  NoBranchError,
  NoConversationError,
  planRestore,
  remainingMs,
  type Store,
  type StoredTurn,
  snippet,
  type ThreadKey,
  timesOf,
  toDescription,
  toWanted,
  turnOpen,
} from 'throughline/stores'
import {
  addEntries,
  addMarks,
  type Branch,
  checkHead,
  forkBranch,
  hasAll,
  heldTurn,
  holdTurn,
  keepCall,
  newBranch,
  openTurn,
  setTurn,
  toStored,
  wasEnded,
  writeTurn,
} from './branch.ts'
import { type Conversation, openFolder } from './json-folder.ts'

export interface JsonStoreOptions {
  readonly folder: string
  readonly now?: () => number
  readonly maxEntryBytes?: number
}

/**
 * One JSON file for each conversation, for one process. A method reads the file, changes what it read, and puts it in the
 * place of the file, with no `await` between: so each is a transaction, and one that throws leaves nothing behind.
 */
export function jsonStore({ folder, now = Date.now, maxEntryBytes }: JsonStoreOptions): Store {
  const files = openFolder(folder)
  const heldMs = ({ time }: Branch) => remainingMs(time, now())

  const store: Store = {
    migrate: async () => [],

    async begin(thread, { owner, leaseMs, expectedHead, key, body, closing = [], entries, marks = [] }) {
      return writeLog(thread, { isNewFine: true }, branch => {
        const known = key === undefined ? undefined : branch.turns.find(turn => turn.key === key)
        if (known && known.body !== body) throw new KeyReusedError(known.key!)
        if (known) return { kind: 'replayed', turn: known, head: branch.entries.length }
        const left = leftTurn(thread, branch)
        if (expectedHead !== undefined) checkHead(branch, thread, expectedHead)
        if (left) {
          addEntries(branch, left.turn, closing)
          setTurn(branch, { ...left, status: 'interrupted', endedAt: now() })
        }
        const [turn, first] = [branch.turns.length + 1, branch.entries.length + 1]
        addEntries(branch, turn, entries)
        addMarks(branch, marks, first - 1)
        const named = { ...(key !== undefined && { key }), ...(body !== undefined && { body }) }
        setTurn(branch, { turn, status: 'open', first, last: first, startedAt: now(), ...named })
        return begun(branch, holdTurn(branch, turn, owner, now(), leaseMs))
      })
    },

    async resume(thread, { owner, leaseMs }) {
      const found = find(thread)
      if (!found || !leftTurn(thread, found)) return undefined
      return changeBranch(thread, branch =>
        begun(branch, holdTurn(branch, openTurn(branch)!.turn, owner, now(), leaseMs)),
      )
    },

    async append(thread, append) {
      return writeLog(thread, {}, branch => {
        const isRepeated = append.entries.length > 0 && hasAll(branch, append.entries)
        if (!isRepeated) writeTurn(branch, thread, append)
        keepCall(branch, append.call)
        return { head: branch.entries.length }
      })
    },

    async end(thread, end) {
      const { status, error } = end
      return writeLog(thread, {}, branch => {
        if (wasEnded(branch, end)) return { head: branch.entries.length }
        writeTurn(branch, thread, end)
        keepCall(branch, end.call)
        const failed = error === undefined ? {} : { error }
        setTurn(branch, { ...openTurn(branch)!, status, endedAt: now(), ...failed })
        return { head: branch.entries.length }
      })
    },

    async renew(thread, lease, leaseMs) {
      changeBranch(thread, branch => {
        heldTurn(branch, thread, lease)
        branch.time = leaseTime(now(), leaseMs)
      })
    },

    async seed(thread, { expectedHead, entries }) {
      return writeLog(thread, { isNewFine: true }, branch => {
        if (entries.length > 0 && hasAll(branch, entries)) return { head: branch.entries.length }
        const open = openTurn(branch)
        if (open) throw turnOpen(thread, open.turn, heldMs(branch))
        checkHead(branch, thread, expectedHead)
        addEntries(branch, 0, entries)
        return { head: branch.entries.length }
      })
    },

    async restore(thread, stretch) {
      return change(thread, (stored, isNew) => {
        const branch = branchToRestore(stored, thread, stretch.forkOf)
        const { entries, turns } = planRestore(thread, stretch, toStored(branch))
        for (const entry of entries) branch.entries.push(entry)
        for (const turn of turns) branch.turns.push(turn)
        // Nobody here holds a turn that was begun elsewhere.
        if (turns.length > 0) delete branch.time
        const times = timesOf({ entries, turns })
        if (times && isNew) stored.createdAt = times.first
        if (times) stored.updatedAt = isNew ? times.last : Math.max(stored.updatedAt, times.last)
        branch.updatedAt = Math.max(branch.updatedAt, times?.last ?? 0)
        return { head: branch.entries.length }
      })
    },

    async fork(thread, { at, branch }) {
      const key = { ...thread, branch }
      changeBranch(thread, (parent, stored) => {
        const there = branchOf(stored, key)
        if (there?.forkOf?.branch === thread.branch && there.forkOf.at === at) return
        if (there) throw new InvalidOptionError('branch', `${JSON.stringify(branch)} exists already`)
        stored.updatedAt = now()
        stored.branches.push({ ...forkBranch(parent, key, at), updatedAt: stored.updatedAt })
      })
    },

    async head(thread) {
      const branch = find(thread)
      if (!branch) return undefined
      const { forkOf, entries, turns, leases } = branch
      const turn = openTurn(branch)
      const lease = (turn && leases[turn.turn]) ?? { owner: '', epoch: branch.epoch }
      return {
        head: entries.length,
        turns: turns.length,
        ...(turn && { open: { ...turn, lease, expiresInMs: heldMs(branch) } }),
        ...(forkOf && { forkOf }),
      }
    },

    async *entries(thread, range = {}) {
      const { from = 1, to = Number.MAX_SAFE_INTEGER, reverse = false, limit } = range
      const entries = find(thread)?.entries.filter(({ seq }) => seq >= from && seq <= to) ?? []
      yield* (reverse ? entries.reverse() : entries).slice(0, limit)
    },

    turns: async thread => find(thread)?.turns ?? [],

    async saveCall(thread, call) {
      changeBranch(thread, branch => keepCall(branch, call))
    },

    async calls(thread, { limit } = {}) {
      return (find(thread)?.calls ?? []).reverse().slice(0, limit)
    },

    async deleteCalls(tenant, before) {
      let count = 0
      for (const conversation of files.all(tenant))
        change(conversation, ({ branches }) => {
          for (const branch of branches) {
            const kept = branch.calls.filter(({ time }) => time >= before)
            count += branch.calls.length - kept.length
            branch.calls = kept
          }
        })
      return count
    },

    async saveCache(thread, key, at, bytes) {
      changeBranch(thread, branch => {
        const cache = { key, at, base64: Buffer.from(bytes).toString('base64') }
        branch.caches = [...branch.caches.filter(other => other.key !== key), cache]
      })
    },

    async loadCache(thread, key) {
      const cache = find(thread)?.caches.find(cache => cache.key === key)
      return cache && { at: cache.at, bytes: new Uint8Array(Buffer.from(cache.base64, 'base64')) }
    },

    async saveMarks(thread, marks) {
      changeBranch(thread, branch => addMarks(branch, marks))
    },

    async findMarks(tenant, wanted, { limit = 16 } = {}) {
      const places = files
        .all(tenant)
        .flatMap(({ conversation, branches }) =>
          branches.flatMap(({ actor, branch, marks }) =>
            marks.map(mark => ({ ...mark, thread: { tenant, conversation, actor, branch } })),
          ),
        )
        .reverse()
      return wanted.flatMap(mark => places.filter(place => place.mark === mark).slice(0, limit))
    },

    async conversations(tenant, page = {}) {
      const { only, order = 'recent', after, limit } = page
      return files
        .all(tenant)
        .filter(({ conversation }) => only === undefined || conversation === only)
        .filter(conversation => !after || orders[order](conversation, after) > 0)
        .sort(orders[order])
        .slice(0, limit)
        .map(toInfo)
    },

    async describeConversation(tenant, conversation, description) {
      const { title, metadata } = toDescription(description)
      change({ tenant, conversation }, (stored, isNew) => {
        if (isNew) throw new NoConversationError(conversation, false)
        if (title !== undefined) stored.title = title
        if (metadata !== undefined) stored.metadata = metadata
      })
    },

    async search(tenant, query, { limit = 20 } = {}) {
      const wanted = toWanted(query)
      if (wanted.length === 0) return []
      const found: Found[] = []
      for (const { conversation, branches } of files.all(tenant))
        for (const { actor, branch, entries, forkOf } of branches)
          for (const { seq, role, time, payload } of entries.slice(forkOf?.at ?? 0)) {
            const thread = { tenant, conversation, actor, branch }
            if (hasWords(payload, wanted))
              found.push({ thread, seq, role, time, snippet: snippet(payload, wanted) })
          }
      return found.sort((a, b) => b.time - a.time || b.seq - a.seq).slice(0, limit)
    },

    async deleteConversation(tenant, conversation, { unusedSince } = {}) {
      const stored = files.read(tenant, conversation)
      if (!stored || stored.isDeleted) return false
      const isHeld = stored.branches.some(branch => openTurn(branch) && heldMs(branch) > 0)
      if (unusedSince !== undefined && (isHeld || stored.updatedAt >= unusedSince)) return false
      files.write({ tenant, conversation, isDeleted: true, createdAt: 0, updatedAt: 0, branches: [] })
      return true
    },

    check: async () => files.check(),
    close: async () => files.close(),
  }
  return checkedStore(store, maxEntryBytes)

  function find(thread: ThreadKey): Branch | undefined {
    return branchOf(files.read(thread.tenant, thread.conversation), thread)
  }

  /** One transaction on a conversation, which may be new. */
  function change<T>(
    { tenant, conversation }: Pick<ThreadKey, 'tenant' | 'conversation'>,
    work: (stored: Conversation, isNew: boolean) => T,
  ): T {
    const stored = files.read(tenant, conversation)
    if (stored?.isDeleted) throw new NoConversationError(conversation, true)
    const changed = stored ?? { tenant, conversation, createdAt: now(), updatedAt: now(), branches: [] }
    const result = work(changed, stored === undefined)
    files.write(changed)
    return result
  }

  /** One transaction on a branch that is there. */
  function changeBranch<T>(thread: ThreadKey, work: (branch: Branch, stored: Conversation) => T): T {
    return change(thread, (stored, isNew) => {
      if (isNew) throw new NoConversationError(thread.conversation, false)
      const branch = branchOf(stored, thread)
      if (!branch) throw new NoBranchError(thread.conversation, thread.branch)
      return work(branch, stored)
    })
  }

  /** One transaction that counts as use of the conversation. */
  function writeLog<T>(thread: ThreadKey, { isNewFine = false }, work: (branch: Branch) => T): T {
    const write = (branch: Branch, stored: Conversation) => {
      stored.updatedAt = now()
      branch.updatedAt = stored.updatedAt
      return work(branch)
    }
    if (!isNewFine) return changeBranch(thread, write)
    return change(thread, stored => write(branchOf(stored, thread) ?? addBranch(stored, thread), stored))
  }

  /** The turn that somebody left open; throws while it is held. */
  function leftTurn(thread: ThreadKey, branch: Branch): StoredTurn | undefined {
    const turn = openTurn(branch)
    if (turn && heldMs(branch) > 0) throw turnOpen(thread, turn.turn, heldMs(branch))
    return turn
  }
}

const begun = (branch: Branch, lease: { readonly owner: string; readonly epoch: number }) =>
  ({ kind: 'begun', turn: openTurn(branch)!, lease, head: branch.entries.length }) as const

const branchOf = (stored: Conversation | undefined, { actor, branch }: ThreadKey) =>
  stored?.branches.find(one => one.actor === actor && one.branch === branch)

function addBranch(stored: Conversation, thread: ThreadKey): Branch {
  const branch = newBranch(thread)
  stored.branches.push(branch)
  return branch
}

/** The branch that is there, or a new one: empty, or on the past that it shares. */
function branchToRestore(stored: Conversation, thread: ThreadKey, forkOf: Branch['forkOf']): Branch {
  const there = branchOf(stored, thread)
  if (!forkOf) return there ?? addBranch(stored, thread)
  if (there?.forkOf?.branch === forkOf.branch && there.forkOf.at === forkOf.at) return there
  const parent = branchOf(stored, { ...thread, branch: forkOf.branch })
  if (there || !parent)
    throw new InvalidOptionError('forkOf', there ? 'the branch began elsewhere' : 'restore its parent first')
  stored.branches.push(forkBranch(parent, thread, forkOf.at))
  return stored.branches.at(-1)!
}

type Place = Pick<ConversationInfo, 'conversation' | 'updatedAt'>

/** By code points: the order of UTF-8, not that of JavaScript. */
const compareNames = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

const orders = {
  name: (a: Place, b: Place) => compareNames(a.conversation, b.conversation),
  recent: (a: Place, b: Place) => b.updatedAt - a.updatedAt || compareNames(a.conversation, b.conversation),
}

const toInfo = ({ conversation, createdAt, updatedAt, ...stored }: Conversation): ConversationInfo => ({
  ...{ conversation, createdAt, updatedAt },
  ...(stored.title != null && { title: stored.title }),
  ...(stored.metadata != null && { metadata: JSON.parse(stored.metadata) }),
  threads: stored.branches
    .map(({ actor, branch, entries, updatedAt }) => ({ actor, branch, head: entries.length, updatedAt }))
    .sort((a, b) => compareNames(a.actor, b.actor) || compareNames(a.branch, b.branch)),
})
