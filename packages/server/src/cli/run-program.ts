import { ThroughlineError } from '@throughline/core/errors'
import { Command, CommanderError } from 'commander'
import { manifest } from '../package.ts'
import { closedPipe } from './closed-pipe.ts'
import type { CommandPlug, Commands } from './command-plug.ts'
import { printError, printErrorText, printText, UserError } from './print.ts'

const commandsWith = (plugs: readonly CommandPlug[]): Commands => ({
  fit: [
    'fit a conversation into a window',
    async () => (await import('./fit-command.ts')).fitCommand,
  ],
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
  ...Object.assign({}, ...plugs.map(({ commands }) => commands)),
  serve: [
    'answer clients of Ollama, OpenAI and Anthropic, and keep their conversations',
    async () => (await import('./serve-command.ts')).serveCommand(plugs),
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
})

/** Runs the command that the arguments of the process name. */
export async function runProgram(plugs: readonly CommandPlug[]): Promise<void> {
  // A closed pipe (`| head`) is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    // A running experiment listens, and pauses first.
    if (!process.emit(closedPipe as 'SIGTERM')) process.exit(0)
  })
  try {
    await (await createProgram(process.argv.slice(2), plugs)).parseAsync()
  } catch (error) {
    process.exitCode = report(error)
  }
}

/** The program with the names of all commands, and with the options of the one that the arguments name. */
export async function createProgram(
  args: readonly string[],
  plugs: readonly CommandPlug[],
): Promise<Command> {
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
  // `throughline help serve` also names a command.
  const named = args.find(word => !word.startsWith('-') && word !== 'help')
  for (const [name, [description, load]] of Object.entries(commandsWith(plugs))) {
    const command = program.command(name).description(description)
    if (name === named) (await load())(command)
  }
  return program
}

/** Errors that the user can mend: one line, exit code 2. Others are faults of ours, and shown with their trace. */
function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  if (error instanceof UserError || error instanceof ThroughlineError) {
    const isLocked = error instanceof ThroughlineError && error.code === 'store_locked'
    printError(
      `throughline: ${isLocked ? lockedAdvice(error) : error.message.replaceAll('\n', ' ')}`,
    )
    return 2
  }
  printErrorText(
    `throughline: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  )
  return 1
}

/** The advice of the library, to open the file for reading, is none for the command line. */
function lockedAdvice({ message }: Error): string {
  const [problem] = message.split('. ', 1)
  return `${problem}: stop that first; or, if it is a server, ask it with --server <url> --key <a key with the scope "admin"> (forget, keys, log pin, hide, erase and import)`
}
