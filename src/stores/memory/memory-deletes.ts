import { checkNames, checkTime } from '../check-input.ts'
import type { Store } from '../store.ts'
import type { Memory } from './memory.ts'
import { heldMs, openTurn } from './memory-branch.ts'

export function memoryDeletes(memory: Memory): Pick<Store, 'deleteCalls' | 'deleteConversation'> {
  return {
    async deleteCalls(tenant, before) {
      checkNames({ tenant })
      checkTime('before', before)
      let count = 0
      for (const { tenant: owner, branches } of memory.all())
        for (const { calls } of owner === tenant ? branches.values() : [])
          for (const { id, time } of [...calls.values()]) if (time < before && calls.delete(id)) count++
      return count
    },
    async deleteConversation(tenant, conversation, { unusedSince } = {}) {
      checkNames({ tenant, conversation })
      if (unusedSince !== undefined && isUsed(tenant, conversation, unusedSince)) return false
      return memory.remove(tenant, conversation)
    },
  }

  function isUsed(tenant: string, conversation: string, since: number): boolean {
    checkTime('unusedSince', since)
    const found = memory.find(tenant, conversation)
    if (!found || found.updatedAt >= since) return true
    return [...found.branches.values()].some(branch => openTurn(branch) && heldMs(branch, memory.now()) > 0)
  }
}
