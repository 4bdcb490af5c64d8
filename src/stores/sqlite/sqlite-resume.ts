import { turnOpen } from '../refusals.ts'
import type { Store } from '../store.ts'
import { findBranch, saveBranch } from './branch-rows.ts'
import type { SqliteContext } from './sqlite-context.ts'
import { saveTurn, toTurn, turnByNumber } from './turn-rows.ts'

export function sqliteResume(context: SqliteContext): Pick<Store, 'resume'> {
  const { now, leases } = context
  return {
    async resume(thread, { owner, leaseMs }) {
      const connection = context.ready()
      const resumed = connection.write(() => {
        const branch = findBranch(connection, thread)
        if (!branch || branch.open_turn === null) return undefined
        const heldMs = leases.heldMs(branch)
        if (heldMs > 0) throw turnOpen(thread, branch.open_turn, heldMs)
        const lease = { owner, epoch: branch.epoch + 1 }
        const saved = saveBranch(connection, branch, { ...lease, lease_until: now() + leaseMs })
        const row = saveTurn(connection, turnByNumber(connection, branch, branch.open_turn), lease)
        const turn = toTurn(row, branch.head)
        return { branch: saved, answer: { kind: 'begun' as const, turn, lease, head: branch.head } }
      })
      if (!resumed) return undefined
      const { branch, answer } = resumed
      leases.give(branch.id, leaseMs)
      context.held.set(thread, branch)
      return answer
    },
  }
}
