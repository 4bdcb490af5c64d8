import { branches } from './schema-branches.ts'
import { entryFunctions } from './schema-entries.ts'
import { guards } from './schema-guards.ts'
import { tables } from './schema-tables.ts'
import { turnFunctions } from './schema-turns.ts'

/** The schema of the first release. Databases have it: nothing in this folder is ever edited. */
export const version1 = (schema: string): string =>
  [tables, guards, entryFunctions, branches, turnFunctions].map(part => part(schema)).join('\n')
