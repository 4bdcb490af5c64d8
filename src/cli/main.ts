#!/usr/bin/env node
import { createRequire } from 'node:module'
import { Command, CommanderError } from 'commander'
import { ThroughlineError } from '../log/error.ts'
import { addDemoCommand } from './demo-command.ts'
import { addExperimentCommand } from './experiment/experiment-command.ts'
import { addFitCommand } from './fit-command.ts'
import { keysCommand } from './keys-command.ts'
import { addLogCommand } from './log-command.ts'
import { mcpCommand } from './mcp-command.ts'
import { printError, printErrorText, printText, UserError } from './print.ts'
import { readerCommand } from './reader-command.ts'
import { serveCommand } from './serve-command.ts'

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string }

const program = new Command('throughline')
  .description('Keeps the whole conversation and sends the model the best part of it that fits.')
  .version(version)
  .showHelpAfterError('(throughline --help lists what there is)')
  .configureOutput({
    writeOut: printText,
    writeErr: printErrorText,
    outputError: (text, write) => write(text.replace(/^error: /, 'throughline: ')),
  })
  .exitOverride()

addFitCommand(program)
addDemoCommand(program)
addLogCommand(program)
addExperimentCommand(program)
program.addCommand(serveCommand())
program.addCommand(keysCommand())
program.addCommand(readerCommand())
program.addCommand(mcpCommand(version))
inherit(program)

// A closed pipe (`| head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  // A running experiment listens, and pauses first.
  if (!process.emit('SIGPIPE')) process.exit(0)
})

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = report(error)
}

/** Commands within commands speak like the program. */
function inherit(parent: Command): void {
  for (const command of parent.commands) inherit(command.copyInheritedSettings(parent).exitOverride())
}

/** Errors that the user can mend: one line, exit code 2. Others are faults of ours, and shown with their trace. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (error instanceof UserError || error instanceof ThroughlineError) {
    printError(`throughline: ${error.message.replaceAll('\n', ' ')}`)
    return 2
  }
  printErrorText(`throughline: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  return 1
}
