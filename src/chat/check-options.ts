import { checkOptions as checkFitOptions } from '../context/draft/frame-options.ts'
import { InvalidOptionError } from '../log/error.ts'
import { showValue } from '../log/show-value.ts'
import { noteToolName } from '../notes/index.ts'
import { readResultName, type Tool } from '../turn/index.ts'
import type { ChatOptions } from './chat-options.ts'

/** Refuses bad options when the chat is created, not in the middle of a turn. */
export function checkOptions(options: ChatOptions): void {
  const { model, history, system, tools, notes, cancelledTurn, window, count, pins, shape } = options ?? {}
  expect(
    'model',
    typeof model?.stream === 'function' &&
      typeof model.window === 'function' &&
      typeof model.name === 'string',
    'a model: ollama({ model }), reader(), or your own { name, window(), stream() }',
    model,
  )
  expect(
    'history',
    history === undefined || typeof history?.thread === 'function',
    'what createHistory({ store }) gives',
    history,
  )
  expect(
    'system',
    system === undefined || typeof system === 'string' || typeof system === 'function',
    'a text or a function that gives one',
    system,
  )
  expect(
    'cancelledTurn',
    cancelledTurn === undefined || cancelledTurn === 'keep' || cancelledTurn === 'disregard',
    '"keep" or "disregard"',
    cancelledTurn,
  )
  for (const [option, least] of Object.entries(leasts)) {
    const value = options[option as keyof typeof leasts]
    const isFine = value === undefined || (Number.isFinite(value) && value >= least)
    expect(option, isFine, `a number of at least ${least}`, value)
  }
  checkTools(tools)
  const { place, nonce } = checkNotes(notes)
  checkFitOptions({
    window: window ?? 4096,
    ...(count !== undefined && { count }),
    ...(pins !== undefined && { pins }),
    ...(shape !== undefined && { shape }),
    ...(place !== undefined && { notes: place }),
    ...(nonce !== undefined && { nonce }),
  })
}

const leasts = {
  window: 1,
  reserve: 0,
  retries: 0,
  backoffMs: 0,
  stallMs: 1,
  toolTimeoutMs: 1,
  maxRounds: 1,
  // The hint that says how to read on takes up to 48.
  maxResultTokens: 64,
} as const

function checkTools(tools: unknown = []): void {
  expect('tools', Array.isArray(tools), 'a list of what defineTool gives', tools)
  const names = new Set<string>()
  for (const tool of tools as readonly Partial<Tool>[]) {
    const { name = '', schema, run } = tool ?? {}
    expect(
      'tools',
      schema !== undefined && typeof run === 'function',
      'a list of what defineTool gives',
      tool,
    )
    if (name === readResultName || name === noteToolName)
      throw new InvalidOptionError('tools', `"${name}" is a tool of the chat itself: choose another name`)
    if (names.has(name)) throw new InvalidOptionError('tools', `two tools are called "${name}": rename one`)
    names.add(name)
  }
}

function checkNotes(notes: ChatOptions['notes'] = false): Exclude<ChatOptions['notes'], boolean | undefined> {
  if (typeof notes === 'boolean') return {}
  expect('notes', typeof notes === 'object' && notes !== null, 'true, false or { by, place, … }', notes)
  const { by = 'reply' } = notes
  expect('notes', by === 'reply' || by === 'tool', 'by: "reply" or by: "tool"', by)
  return notes
}

function expect(option: string, isFine: boolean, what: string, got: unknown): void {
  if (!isFine) throw new InvalidOptionError(option, `expected ${what}, got ${showValue(got)}`)
}
