import { checkThread } from '../check-input.ts'
import type { ThreadKey } from '../store.ts'
import { NoConversationError } from '../store-error.ts'
import { type Branch, newBranch } from './memory-branch.ts'

export interface Conversation {
  readonly tenant: string
  readonly conversation: string
  readonly createdAt: number
  updatedAt: number
  isDeleted: boolean
  title: string | null
  metadata: string | null
  readonly branches: Map<string, Branch>
}

export type Memory = ReturnType<typeof createMemory>

/** Conversations and their branches by name. Nothing here is asynchronous, so every store method is one transaction. */
export function createMemory(now: () => number, maxEntryBytes: number) {
  const conversations = new Map<string, Conversation>()
  let count = 0

  const find = (tenant: string, conversation: string) => conversations.get(keyOf(tenant, conversation))

  function peek(thread: ThreadKey): Branch | undefined {
    checkThread(thread)
    return find(thread.tenant, thread.conversation)?.branches.get(keyOf(thread.actor, thread.branch))
  }

  /** The branch to write to; throws if it does not exist or was deleted. */
  function branch(thread: ThreadKey): Branch {
    const found = peek(thread)
    if (found) return found
    const isDeleted = find(thread.tenant, thread.conversation)?.isDeleted ?? false
    throw new NoConversationError(thread.conversation, isDeleted)
  }

  /** The branch to write to, or an empty one that `put` adds to the store once nothing was refused. */
  function branchOrNew(thread: ThreadKey): Branch {
    const found = peek(thread)
    if (found) return found
    if (find(thread.tenant, thread.conversation)?.isDeleted) return branch(thread)
    const { tenant, conversation, actor, branch: name } = thread
    return newBranch({ tenant, conversation, actor, branch: name }, ++count)
  }

  function put(branch: Branch, times = { first: now(), last: now() }): void {
    const { tenant, conversation, actor, branch: name } = branch.thread
    const fresh = {
      tenant,
      conversation,
      createdAt: times.first,
      updatedAt: times.last,
      isDeleted: false,
      title: null,
      metadata: null,
      branches: new Map(),
    }
    const found: Conversation = find(tenant, conversation) ?? fresh
    found.updatedAt = Math.max(found.updatedAt, times.last)
    found.branches.set(keyOf(actor, name), branch)
    conversations.set(keyOf(tenant, conversation), found)
  }

  /** Empties a conversation. Its name stays, so that late writes are refused. */
  function remove(tenant: string, conversation: string): boolean {
    const found = find(tenant, conversation)
    if (!found || found.isDeleted) return false
    found.branches.clear()
    Object.assign(found, { isDeleted: true, title: null, metadata: null })
    return true
  }

  const nextNumber = () => ++count
  const all = () => [...conversations.values()].filter(({ isDeleted }) => !isDeleted)
  return { now, maxEntryBytes, find, peek, branch, branchOrNew, put, remove, nextNumber, all }
}

const keyOf = (...names: string[]) => JSON.stringify(names)
