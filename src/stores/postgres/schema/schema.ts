import { appendFunctions } from './append-functions.ts'
import { beginFunctions } from './begin-functions.ts'
import { branchFunctions } from './branch-functions.ts'
import { deleteFunctions } from './delete-functions.ts'
import { entryFunctions } from './entry-functions.ts'
import { guards } from './guards.ts'
import { keyFunction } from './key-function.ts'
import { leaseFunctions } from './lease-functions.ts'
import { restoreFunctions } from './restore-functions.ts'
import { tables } from './tables.ts'

export const createSchema = (schema: string): string =>
  [
    tables,
    keyFunction,
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
