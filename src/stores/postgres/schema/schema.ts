import { branchFunctions } from './branch-functions.ts'
import { entryFunctions } from './entry-functions.ts'
import { restoreFunctions } from './restore-functions.ts'
import { tables } from './tables.ts'
import { turnFunctions } from './turn-functions.ts'

export const createSchema = (schema: string): string =>
  [tables, entryFunctions, branchFunctions, turnFunctions, restoreFunctions]
    .map(part => part(schema))
    .join('\n')
