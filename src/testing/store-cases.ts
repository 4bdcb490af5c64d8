import type { StoreCase } from './store-case.ts'
import { deleteCases, eraseCases, retainCases } from './store-cases-delete.ts'
import { forkCases } from './store-cases-fork.ts'
import { againCases, closingCases, leaseCases, resumeCases } from './store-cases-lease.ts'
import { listCases } from './store-cases-list.ts'
import { logCases, sideCases } from './store-cases-log.ts'
import { pairCases } from './store-cases-pair.ts'
import { restoreCases, restoreRefusedCases } from './store-cases-restore.ts'
import { tenantCases } from './store-cases-tenant.ts'
import { inputCases, textCases } from './store-cases-text.ts'

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
  ...tenantCases,
  ...listCases,
  ...sideCases,
  ...deleteCases,
  ...eraseCases,
  ...restoreCases,
  ...restoreRefusedCases,
  ...retainCases,
  ...resumeCases,
  ...againCases,
  ...closingCases,
  ...inputCases,
]
