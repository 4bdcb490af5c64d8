import { checkStretch } from '../check-stretch.ts'
import { planRestore, timesOf } from '../plan-restore.ts'
import { forkedElsewhere, noParent, notAPlace } from '../refusals.ts'
import type { RestoreEntries, ThreadKey } from '../store.ts'
import type { Memory } from './memory.ts'
import { type Branch, forkBranch, isForkPlace, openTurn } from './memory-branch.ts'

export function memoryRestore(memory: Memory, thread: ThreadKey, stretch: RestoreEntries): { head: number } {
  checkStretch(stretch, memory.maxEntryBytes)
  const existing = memory.peek(thread)
  const branch = branchFor(memory, thread, stretch)
  const fresh = planRestore(thread, stretch, {
    head: branch.entries.length,
    turns: branch.turns.length,
    open: openTurn(branch)?.turn,
    entries: (from, to) => branch.entries.slice(from - 1, to),
    turnsFrom: turn => branch.turns.slice(turn - 1),
    seqOf: id => (branch.ids.has(id) ? branch.entries.find(entry => entry.id === id)?.seq : undefined),
    hasKey: key => branch.turns.some(turn => turn.key === key),
  })
  const times = timesOf(fresh)
  if (existing && !times) return { head: branch.entries.length }
  memory.put(branch, times ?? timesOfConversation(memory, thread))
  for (const { id, role, time, payload, tokens, seq, turn } of fresh.entries) {
    branch.ids.add(id)
    branch.entries.push({ id, role, time, payload, tokens: { ...tokens }, seq, turn })
  }
  for (const turn of fresh.turns) {
    branch.turns.push({ ...turn })
    // Nobody holds the turn: its lease has run out, and its former holder works on another store.
    branch.leases.set(turn.turn, { owner: '', epoch: ++branch.epoch })
    branch.leaseTime = undefined
  }
  return { head: branch.entries.length }
}

/** The existing branch, or a new one: empty, or with its shared past. */
function branchFor(memory: Memory, thread: ThreadKey, { forkOf }: RestoreEntries): Branch {
  const branch = memory.branchOrNew(thread)
  if (!forkOf) return branch
  if (memory.peek(thread)) {
    if (branch.forkOf?.branch === forkOf.branch && branch.forkOf.at === forkOf.at) return branch
    throw forkedElsewhere(thread.branch)
  }
  const parent = memory.peek({ ...thread, branch: forkOf.branch })
  if (!parent) throw noParent(forkOf.branch)
  if (!isForkPlace(parent, forkOf.at)) throw notAPlace(forkOf.at)
  return forkBranch(parent, forkOf.at, thread.branch, branch.number)
}

/** The times of a conversation. A branch without entries of its own does not count. */
function timesOfConversation(memory: Memory, { tenant, conversation }: ThreadKey) {
  const found = memory.find(tenant, conversation)
  return found && { first: found.createdAt, last: found.createdAt }
}
