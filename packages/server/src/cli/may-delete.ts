import { createInterface } from 'node:readline/promises'
import { plural } from '@throughline/core/values'
import type { Command } from 'commander'
import { print, UserError } from './print.ts'

export interface DeletionOptions {
  readonly yes?: boolean
  readonly dryRun?: boolean
}

export const withDeletionOptions = (command: Command): Command =>
  command
    .option('--yes', 'delete without asking')
    .option('--dry-run', 'only say what would be deleted')

export interface Deletion {
  readonly deleted: readonly string[]
  /** What goes besides: ` and 3 calls`. */
  readonly also?: string
  readonly isNothing?: boolean
}

export function sayDeleted(deletion: Deletion, how = 'deleted', what = 'conversation'): void {
  const { deleted, also = '' } = deletion
  for (const conversation of deleted) print(`${how} ${conversation}`)
  print(`${how} ${plural(deleted.length, what)}${also}`)
}

/** Says what would be deleted, and asks. Without a terminal, as in a cron job, `--yes` must be there. */
export async function mayDelete(
  { yes = false, dryRun = false }: DeletionOptions,
  plan: () => Promise<Deletion>,
  what?: string,
): Promise<boolean> {
  if (yes && !dryRun) return true
  const deletion = await plan()
  sayDeleted(deletion, 'would delete', what)
  if (dryRun || (deletion.isNothing ?? deletion.deleted.length === 0)) return false
  if (!process.stdin.isTTY)
    throw new UserError('nothing was deleted: say --yes to delete it, or --dry-run only to see it')
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await lines.question('Delete this for good? [y/N] ').finally(() => lines.close())
  if (/^y(es)?$/i.test(answer.trim())) return true
  throw new UserError('nothing was deleted')
}
