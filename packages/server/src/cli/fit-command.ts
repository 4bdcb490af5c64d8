import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import {
  choosePolicy,
  fit,
  type NotesPlace,
  type Overflow,
  type PolicyOptions,
  policyNames,
  type Shape,
} from '@throughline/core/context'
import { estimate, exactCounters, framingFor, type TokenCounter } from '@throughline/core/counters'
import { InvalidMessageError, InvalidOptionError } from '@throughline/core/errors'
import { dump, type Paint, type Receipt, receiptTable } from '@throughline/core/explain'
import { type MessageLike, parseMessage } from '@throughline/core/messages'
import type { Command } from 'commander'
import { packageFile } from '../package.ts'
import { share, wholeNumber } from './number-option.ts'
import { print, printText, UserError } from './print.ts'
import { readChat } from './read-chat.ts'
import {
  blue,
  bold,
  createStyle,
  cyan,
  dim,
  green,
  grey,
  magenta,
  red,
  type Style,
  yellow,
} from './style.ts'

interface FitFlags extends PolicyOptions {
  readonly window: number
  readonly reserve: number
  readonly policy: string
  readonly count: string
  readonly model?: string
  readonly tools?: string
  readonly maxToolTokens?: number
  readonly pin: readonly string[]
  readonly notes: string
  readonly shape: Shape
  readonly overflow: Overflow
  readonly dump?: boolean
  readonly receipt?: boolean
}

/** `throughline fit chat.json --window 4096`: prints the context as JSON, as text, or its receipt. */
export function fitCommand(command: Command): void {
  command
    .argument(
      '[file]',
      'a JSON array of messages, one message a line, or what "throughline log export" wrote; standard input without it',
    )
    .option('-w, --window <tokens>', "the model's window", wholeNumber(1), 4096)
    .option('-r, --reserve <tokens>', 'kept free for the reply', wholeNumber(), 0)
    .option('-p, --policy <name>', policyNames.join(', '), 'default')
    .option('--messages <n>', 'sliding: how many messages to keep', wholeNumber())
    .option('--full <n>', 'tiered: how many exchanges stay whole', wholeNumber())
    .option('--max <n>', 'tiered: how many exchanges are remembered at all', wholeNumber())
    .option('--effort <share>', 'default: how much is recalled, from 0 to 1', share)
    .option(
      '-c, --count <counter>',
      'estimate, o200k, cl100k, or the path of a tokenizer.json',
      'estimate',
    )
    .option('-m, --model <name>', "count the framing of this model's chat template")
    .option('--tools <file>', 'a JSON array of tool schemas that are sent too')
    .option(
      '--max-tool-tokens <tokens>',
      'shorten the descriptions of tools beyond it',
      wholeNumber(),
    )
    .option('--pin <text>', 'a fact that travels in the system prompt (repeatable)', collect, [])
    .option('--notes <place>', 'inline, system or off', 'inline')
    .option('--shape <shape>', 'free or alternating', 'free')
    .option(
      '--overflow <what>',
      'what if too much is protected: error, keep, trim, trim-results',
      'error',
    )
    .option('--dump', 'print the context as text')
    .option('--receipt', 'print what became of every message')
    .action(run)
}

async function run(file: string | undefined, options: FitFlags): Promise<void> {
  const name = file ?? 'standard input'
  const chat = await readChat(name, await readInput(file))
  const { window, reserve, shape, overflow, pin: pins, maxToolTokens } = options
  const count = await chooseCounter(options.count, options.model)
  const policy = choosePolicy(options.policy, options)
  const notes = (options.notes === 'off' ? false : options.notes) as NotesPlace
  const tools = options.tools ? await readTools(options.tools) : chat.tools
  try {
    const how = {
      window,
      reserve,
      shape,
      overflow,
      pins,
      notes,
      count,
      policy,
      tools,
      maxToolTokens,
    }
    const context = fit(chat.messages, how)
    if (options.dump) printText(dump(context))
    if (options.receipt) printText(showReceipt(context.receipt, createStyle(process.stdout)))
    if (!options.dump && !options.receipt)
      printText(`${JSON.stringify(context.messages, null, 2)}\n`)
  } catch (error) {
    if (!(error instanceof InvalidMessageError)) throw error
    throw new UserError(`${name}:${chat.lineOf(error.seq)}: ${error.message}`)
  }
}

/** The counter that `--count` names. Tokenizers are large, so only that one is loaded. */
async function chooseCounter(name: string, model: string | undefined): Promise<TokenCounter> {
  const options = model === undefined ? {} : { framing: framingFor(model) }
  if (name === 'estimate') return estimate(options)
  if (name === 'o200k' || name === 'cl100k') return (await exactCounters[name]())(options)
  if (name.endsWith('.json'))
    return (await exactCounters.tokenizerJson())(await readJson(name), options)
  const problem = `expected estimate, o200k, cl100k or a tokenizer.json, got "${name}"`
  throw new InvalidOptionError('count', problem)
}

async function readInput(file: string | undefined): Promise<string> {
  if (file === undefined && process.stdin.isTTY)
    throw new UserError(
      'no conversation: name a file (throughline fit chat.json) or pipe one in (cat chat.json | throughline fit); throughline fit - reads what you type',
    )
  if (file === undefined || file === '-') return text(process.stdin)
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const problem =
      error.code === 'ENOENT'
        ? 'no such file'
        : error.code === 'EISDIR'
          ? 'is a folder'
          : error.message
    throw new UserError(`${file}: ${problem}`)
  })
}

async function readTools(file: string): Promise<readonly unknown[]> {
  const tools = await readJson(file)
  if (Array.isArray(tools)) return tools
  throw new UserError(`${file}: expected a JSON array of tool schemas`)
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse((await readInput(file)).replace(/^\uFEFF/, ''))
  } catch (error) {
    throw new UserError(`${file}: cannot be read as JSON (${(error as Error).message})`)
  }
}

const collect = (value: string, before: readonly string[]) => [...before, value]

const sample = packageFile('examples/project-chat.json')

/** `throughline demo`: fits a long project chat into a small window, and shows it. */
export function demoCommand(command: Command): void {
  command
    .option('-w, --window <tokens>', "the model's window", wholeNumber(1), 4096)
    .option('-p, --policy <name>', policyNames.join(', '), 'default')
    .action(async (options: { window: number; policy: string }) => {
      const style = createStyle(process.stdout)
      const messages = JSON.parse(await readFile(sample, 'utf8')) as MessageLike[]
      const policy = choosePolicy(options.policy)
      const { window } = options
      const context = fit(messages, { window, reserve: Math.floor(window / 8), policy })
      const whole = context.receipt.entries.reduce((sum, entry) => sum + entry.tokens, 0)
      print(style(bold, `The conversation: ${messages.length} messages, about ${whole} tokens`))
      print(
        style(bold, `The context: ${context.messages.length} messages, ${context.tokens} tokens`),
      )
      print()
      for (const message of context.messages) print(showMessage(message, style))
      print()
      print(style(bold, 'The receipt'))
      printText(showReceipt(context.receipt, style))
    })
}

const roleColours = {
  system: blue,
  user: green,
  assistant: cyan,
  tool: magenta,
  assistant_note: yellow,
}

/** A message on one line; long texts are cut for the screen only. */
function showMessage(raw: MessageLike, style: Style): string {
  const { role, text, calls } = parseMessage(raw, 0)
  const words = [text, ...calls.map(call => `→ ${call.name}(${call.arguments})`)]
    .filter(Boolean)
    .join(' ')
  const line = words.replace(/\s+/g, ' ')
  const room = Math.max(40, (process.stdout.columns ?? 110) - 12)
  const shown = line.length > room ? `${line.slice(0, room - 1)}${style(dim, '…')}` : line
  const isInserted = /^\[(?:Several|Previous|Earlier|What I have asked)/.test(line)
  return `${style(roleColours[role], role.padEnd(10))} ${isInserted ? style(red, shown) : shown}`
}

const colours: Readonly<Record<Parameters<Paint>[0], number>> = {
  kept: green,
  altered: yellow,
  cleared: cyan,
  digested: cyan,
  recalled: magenta,
  moved: blue,
  omitted: grey,
  framing: grey,
  tools: blue,
  system: blue,
  changing: blue,
  first: green,
  rules: cyan,
  marker: yellow,
  notes: yellow,
  digests: cyan,
  journal: cyan,
  recall: magenta,
  history: green,
  latest: red,
  head: bold,
  free: dim,
  over: red,
}

/** The table of `explain`, in colours where the terminal has them. */
const showReceipt = (receipt: Receipt, style: Style): string =>
  receiptTable(receipt, (what, text) => style(colours[what], text))
