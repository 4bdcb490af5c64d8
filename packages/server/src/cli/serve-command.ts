import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { PlugSettings } from '../config/config-schema.ts'
import { about, defaultOf, flagOf, formOf, printConfig } from '../config/config-schema.ts'
import { readConfig } from '../config/read-config.ts'
import { groupsWith } from '../config/setting-groups.ts'
import type { CommandPlug, ServePlug } from './command-plug.ts'
import { printError, printText, UserError } from './print.ts'
import { stopSignal } from './stop-signal.ts'

/** `throughline serve`: stands between clients and their model server, until the process is stopped. */
export const serveCommand = async (plugs: readonly CommandPlug[]) => {
  const added = await Promise.all(plugs.map(plug => plug.serve()))
  const settings: PlugSettings = Object.assign({}, ...added.map(one => one.settings))
  return (command: Command) => addOptions(command, added, settings)
}

function addOptions(command: Command, plugs: readonly ServePlug[], plugged: PlugSettings): void {
  // Explained only when help is asked for, which not every start should wait for.
  command.configureHelp({
    optionDescription: option => option.description || explain(option.attributeName(), plugged),
  })
  for (const [group, names] of Object.entries(groupsWith(plugged))) {
    command.optionsGroup(`${group}:`)
    // A switch that is named is on.
    for (const name of names)
      command.option(
        `${flagOf(name)} ${formOf(name, plugged) === switchForm ? '[value]' : '<value>'}`,
      )
  }
  command
    .optionsGroup('Settings and help:')
    .option('--config <file>', 'a JSON file with settings; also THROUGHLINE_CONFIG')
    .option('--print-config', 'print the settings and where they come from, and end')
    .helpOption('-h, --help', 'display help for command')
    .addHelpText('after', examples)
  command.action(async ({ config: path, printConfig: isPrinted, ...flags }: ServeFlags) => {
    const file = fileOf(path ?? process.env.THROUGHLINE_CONFIG)
    const effective = readConfig({ flags, env: process.env, file, plugged })
    if (isPrinted) return printText(`${printConfig(effective)}\n`)
    const created = await Promise.all(plugs.map(plug => plug.create(effective.config)))
    const serverPlugs = created.filter(plug => plug !== undefined)
    const { startServer } = await import('../serve/start-server.ts')
    const server = await startServer(effective.config, { plugs: serverPlugs })
    // Not to stdout, which is for the log: a line of JSON for each request.
    printError(`Throughline listens at ${server.url}`)
    for (const line of server.upstream.split('\n')) printError(line)
    if (effective.config.shadow)
      printError(
        'Shadow: every request passes as it came; the page shows what would have been sent.',
      )
    if (server.inspector !== undefined) printError(`Inspector: ${server.inspector}`)
    printError(
      `Point clients here: OLLAMA_HOST=${server.url}  OPENAI_BASE_URL=${server.url}/v1  ANTHROPIC_BASE_URL=${server.url}  GOOGLE_GEMINI_BASE_URL=${server.url}`,
    )
    // Not waited for: a server that is asked for its models may be slow.
    void server.windows().then(
      lines => lines.forEach(printError),
      () => undefined,
    )
    await stopSignal()
    await server.stop()
  })
}

const examples = `
Examples:
  throughline serve --upstream http://127.0.0.1:8080 --window 16384
      before llama.cpp or another server on this machine
  throughline serve --upstream https://api.openai.com --shadow
      before OpenAI, and at first only watch: the page shows what would have been sent`

const switchForm = 'true or false'

function explain(name: string, plugged: PlugSettings): string {
  const value = defaultOf(name, plugged)
  return `${about(name, plugged)}: ${formOf(name, plugged)}${value === undefined ? '' : ` (default: ${value})`}`
}

interface ServeFlags {
  readonly config?: string
  readonly printConfig?: boolean
  readonly [setting: string]: unknown
}

function fileOf(path: string | undefined) {
  if (path === undefined || path === '') return undefined
  try {
    return { path, text: readFileSync(path, 'utf8') }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UserError(`the settings in ${path} cannot be read (${code})`)
  }
}
