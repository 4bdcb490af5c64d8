import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { fit } from '../context/fit.ts'
import { choosePolicy, policyNames } from '../context/policies/choose-policy.ts'
import type { MessageLike } from '../log/message.ts'
import { parseMessage } from '../log/parse-message.ts'
import { packageFile } from '../server/package.ts'
import { wholeNumber } from './number-option.ts'
import { print, printText } from './print.ts'
import { showReceipt } from './show-receipt.ts'
import { blue, bold, createStyle, cyan, dim, green, magenta, red, type Style, yellow } from './style.ts'

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
      print(style(bold, `The context: ${context.messages.length} messages, ${context.tokens} tokens`))
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
} as const

/** A message on one line; long texts are cut for the screen only. */
function showMessage(raw: MessageLike, style: Style): string {
  const { role, text, calls } = parseMessage(raw, 0)
  const words = [text, ...calls.map(call => `→ ${call.name}(${call.arguments})`)].filter(Boolean).join(' ')
  const line = words.replace(/\s+/g, ' ')
  const room = Math.max(40, (process.stdout.columns ?? 110) - 12)
  const shown = line.length > room ? `${line.slice(0, room - 1)}${style(dim, '…')}` : line
  const isInserted = /^\[(?:Several|Previous|Earlier)/.test(line)
  return `${style(roleColours[role], role.padEnd(10))} ${isInserted ? style(red, shown) : shown}`
}
