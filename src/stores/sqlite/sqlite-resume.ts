import { checkNames, checkThread } from '../check-input.ts'
import { turnOpen } from '../refusals.ts'
import type { Store } from '../store.ts'
import { findBranch, holdTurn } from './branch-rows.ts'
import type { SqliteContext } from './sqlite-context.ts'
import { toTurn, turnByNumber } from './turn-rows.ts'

/** Goes on with a turn that somebody left open. */
export function sqliteResume(context: SqliteContext): Pick<Store, 'resume'> {
  const { now, leases } = context
  return {
    async resume(thread, { owner, leaseMs }) {
      checkThread(thread)
      checkNames({ owner })
      const connection = context.ready()
      const resumed = connection.write(() => {
        const branch = findBranch(connection, thread)
        if (!branch || branch.open_turn === null) return undefined
        const heldMs = leases.heldMs(branch)
        if (heldMs > 0) throw turnOpen(thread, branch.open_turn, heldMs)
        const lease = { owner, epoch: branch.epoch + 1 }
        connection.run(
          'UPDATE branches SET owner = ?, epoch = ?, lease_until = ? WHERE id = ?',
          ...[owner, lease.epoch, now() + leaseMs, branch.id],
        )
        connection.run(
          'UPDATE turns SET owner = ?, epoch = ? WHERE branch_id = ? AND turn = ?',
          ...[owner, lease.epoch, branch.id, branch.open_turn],
        )
        const turn = toTurn(turnByNumber(connection, branch, branch.open_turn), branch.head)
        return { branch, answer: { kind: 'begun' as const, turn, lease, head: branch.head } }
      })
      if (!resumed) return undefined
      const { branch, answer } = resumed
      leases.give(branch.id, leaseMs)
      holdTurn(context.held, thread, { ...branch, ...answer.lease, open_turn: answer.turn.turn })
      return answer
    },
  }
}
