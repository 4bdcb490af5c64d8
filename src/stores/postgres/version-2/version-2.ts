import { appendFunctions } from './append-functions.ts'
import { beginFunctions } from './begin-functions.ts'
import { branchFunctions } from './branch-functions.ts'
import { deleteFunctions } from './delete-functions.ts'
import { entryFunctions } from './entry-functions.ts'
import { guards } from './guards.ts'
import { keyFunction } from './key-function.ts'
import { leaseFunctions } from './lease-functions.ts'
import { moveData, setAside } from './move-data.ts'
import { restoreFunctions } from './restore-functions.ts'
import { tables, wordIndex } from './tables.ts'

/** Short keys instead of names, appends in one look, logs that come back. */
export const version2 = (schema: string): string =>
  [
    setAside,
    tables,
    keyFunction,
    moveData,
    wordIndex,
    guards,
    entryFunctions,
    branchFunctions,
    beginFunctions,
    appendFunctions,
    leaseFunctions,
    restoreFunctions,
    deleteFunctions,
  ]
    .map(part => part(schema))
    .join('\n')
