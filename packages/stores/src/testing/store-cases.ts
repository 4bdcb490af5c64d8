import type { StoreCase } from './store-case.ts'
import { deleteCases } from './store-cases-delete.ts'
import { forkCases, pairCases } from './store-cases-fork.ts'
import { leaseCases } from './store-cases-lease.ts'
import { listCases } from './store-cases-list.ts'
import { logCases } from './store-cases-log.ts'
import { restoreCases } from './store-cases-restore.ts'
import { textCases } from './store-cases-text.ts'

export type { CreateStore, StoreCase } from './store-case.ts'

/**
 * The conformance suite for stores, for any test runner. `create` opens a store on one backend, and another one when a case
 * calls it again: two processes may write to it. A backend for one process throws a StoreError then (`store_locked`). Every
 * case works in a tenant of its own, calls `migrate()`, calls `check()` at its end and closes the store.
 *
 * @example
 * for (const { name, run } of storeCases) it(name, () => run(async () => sqliteStore({ path })))
 */
export const storeCases: readonly StoreCase[] = [
  ...logCases,
  ...leaseCases,
  ...pairCases,
  ...forkCases,
  ...textCases,
  ...listCases,
  ...deleteCases,
  ...restoreCases,
]
