#!/usr/bin/env node
import { Command, CommanderError } from 'commander'
import { ThroughlineError } from '../log/error.ts'
import { manifest } from '../server/package.ts'
import { closedPipe } from './closed-pipe.ts'
import { printError, printErrorText, printText, UserError } from './print.ts'

const program = new Command('throughline')
  .description('Keeps the whole conversation and sends the model the best part of it that fits.')
  .version(manifest.version)
  .showHelpAfterError('(throughline --help lists what there is)')
  .configureOutput({
    writeOut: printText,
    writeErr: printErrorText,
    outputError: (text, write) => write(text.replace(/^error: /, 'throughline: ')),
  })
  .exitOverride()

/** A command's options and action are loaded when it is named, so that each starts without the code of the rest. */
type LoadCommand = () => Promise<(command: Command) => void>

const commands: Readonly<Record<string, readonly [description: string, LoadCommand]>> = {
  fit: ['fit a conversation into a window', async () => (await import('./fit-command.ts')).fitCommand],
  demo: [
    'fit a sample conversation of 168 turns and show what happens',
    async () => (await import('./fit-command.ts')).demoCommand,
  ],
  log: [
    'look into a log and keep it: list, show, calls, dump, search, export, import, check …',
    async () => (await import('./log-command.ts')).logCommand,
  ],
  forget: [
    'delete a conversation, or all of a person, an actor or a tenant, with all that was made of them',
    async () => (await import('./forget-command.ts')).forgetCommand,
  ],
  experiment: [
    'run an experiment plan, and look after it: run, resume, list, show, history, pause, stop',
    async () => (await import('./experiment/experiment-command.ts')).experimentCommand,
  ],
  serve: [
    'answer clients of Ollama, OpenAI and Anthropic, and keep their conversations',
    async () => (await import('./serve-command.ts')).serveCommand,
  ],
  keys: [
    'the keys that clients of the server send: create, list, revoke',
    async () => (await import('./keys-command.ts')).keysCommand,
  ],
  reader: [
    'serve the built-in model, which only quotes what it is given, in the way of Ollama',
    async () => (await import('./reader-command.ts')).readerCommand,
  ],
  mcp: [
    'let an agent search and read the log, over the Model Context Protocol',
    async () => (await import('./mcp-command.ts')).mcpCommand,
  ],
}

// A closed pipe (`| head`) is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  // A running experiment listens, and pauses first.
  if (!process.emit(closedPipe as 'SIGTERM')) process.exit(0)
})

try {
  await addCommands()
  await program.parseAsync()
} catch (error) {
  process.exitCode = report(error)
}

async function addCommands(): Promise<void> {
  // `throughline help serve` also names a command.
  const named = process.argv.slice(2).find(word => !word.startsWith('-') && word !== 'help')
  for (const [name, [description, load]] of Object.entries(commands)) {
    const command = program.command(name).description(description)
    if (name === named) (await load())(command)
  }
}

/** Errors that the user can mend: one line, exit code 2. Others are faults of ours, and shown with their trace. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (error instanceof UserError || error instanceof ThroughlineError) {
    const isLocked = error instanceof ThroughlineError && error.code === 'store_locked'
    printError(`throughline: ${isLocked ? lockedAdvice(error) : error.message.replaceAll('\n', ' ')}`)
    return 2
  }
  printErrorText(`throughline: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  return 1
}

/** The advice of the library, to open the file for reading, is none for the command line. */
function lockedAdvice({ message }: Error): string {
  const [problem] = message.split('. ', 1)
  return `${problem}: stop that first; or, if it is a server, ask it with --server <url> --key <a key with the scope "admin"> (forget, keys, log pin, hide, erase and import)`
}
