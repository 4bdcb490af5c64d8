import type { Command } from 'commander'
import { addKeepCommands } from './keep-commands.ts'
import { addLookCommands } from './look-commands.ts'
import { adderFor } from './open-log.ts'
import { addTransferCommands } from './transfer-commands.ts'

/** `throughline log …`: reads a database of conversations, and keeps it in order. */
export function addLogCommand(program: Command): void {
  const log = program
    .command('log')
    .description('look into a log and keep it: list, show, calls, dump, search, export, import, check …')
  const add = adderFor(log, 'whose conversations')
  addLookCommands(add)
  addTransferCommands(add)
  addKeepCommands(add)
}
