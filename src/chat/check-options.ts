import { InvalidOptionError } from '../log/error.ts'
import { noteToolName } from '../notes/index.ts'
import type { ChatOptions } from './chat-options.ts'
import { readResultName } from './clip-result.ts'
import type { Tool } from './tool.ts'

/** What cannot be meant is said when the chat is made, not in the middle of a turn. */
export function checkOptions(options: ChatOptions): void {
  if (typeof options.model?.stream !== 'function')
    throw new InvalidOptionError('model', 'expected a model, such as ollama({ model }) or reader()')
  for (const [option, least] of Object.entries(leasts)) {
    const value = options[option as keyof typeof leasts]
    if (value === undefined || (Number.isFinite(value) && value >= least)) continue
    throw new InvalidOptionError(option, `expected a number of at least ${least}, got ${String(value)}`)
  }
  checkTools(options.tools ?? [])
}

const leasts = {
  window: 1,
  reserve: 0,
  retries: 0,
  backoffMs: 0,
  stallMs: 1,
  toolTimeoutMs: 1,
  maxRounds: 1,
  // Less would leave no room for the words that say how to read on.
  maxResultTokens: 64,
} as const

function checkTools(tools: readonly Tool[]): void {
  const names = new Set<string>()
  for (const { name } of tools) {
    if (name === readResultName || name === noteToolName)
      throw new InvalidOptionError('tools', `"${name}" is a tool of the chat itself: choose another name`)
    if (names.has(name)) throw new InvalidOptionError('tools', `two of them are called "${name}"`)
    names.add(name)
  }
}
