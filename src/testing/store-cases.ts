import type { StoreCase } from './store-case.ts'
import { againCases, closingCases } from './store-cases-again.ts'
import { deleteCases, retainCases } from './store-cases-delete.ts'
import { forkCases } from './store-cases-fork.ts'
import { inputCases } from './store-cases-input.ts'
import { leaseCases, resumeCases } from './store-cases-lease.ts'
import { listCases } from './store-cases-list.ts'
import { logCases, sideCases } from './store-cases-log.ts'
import { restoreCases } from './store-cases-restore.ts'
import { restoreRefusedCases } from './store-cases-restore-refused.ts'
import { tenantCases } from './store-cases-tenant.ts'
import { textCases } from './store-cases-text.ts'

export type { CreateStore, StoreCase } from './store-case.ts'

/**
 * The conformance suite for stores, for any test runner. `create` gives a store that may be new or shared: every case
 * works in a tenant of its own, calls `migrate()`, calls `check()` at its end and closes the store.
 *
 * @example
 * for (const { name, run } of storeCases) it(name, () => run(async () => sqliteStore({ path: newPath() })))
 */
export const storeCases: readonly StoreCase[] = [
  ...logCases,
  ...leaseCases,
  ...forkCases,
  ...textCases,
  ...tenantCases,
  ...listCases,
  ...sideCases,
  ...deleteCases,
  ...restoreCases,
  ...restoreRefusedCases,
  ...retainCases,
  ...resumeCases,
  ...againCases,
  ...closingCases,
  ...inputCases,
]
