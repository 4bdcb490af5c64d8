import { checkOptions as checkFitOptions } from '@throughline/core/context'
import type { TokenCounter } from '@throughline/core/counters'
import {
  InvalidOptionError,
  type OptionNames,
  refuseUnknown,
  showValue,
} from '@throughline/core/errors'
import { noteToolName, readResultName } from '@throughline/core/messages'
import type { State } from '@throughline/core/state'
import { present } from '@throughline/core/values'
import type { CancelledTurn } from '@throughline/history/log'
import type { History } from '@throughline/history/threads'
import { notesInContext } from './turn/set-up-asking.ts'
import { readMessageSpec, type Tool } from './turn/tools/tool.ts'
import type { TurnOptions } from './turn/turn-options.ts'

/** Options of `createChat`. */
export interface ChatOptions extends TurnOptions {
  /** Where conversations are stored. Without a history, only `respond` works. */
  readonly history?: History
  /** What the model may call, each made by `defineTool`. */
  readonly tools?: readonly Tool[]
  /** Whether the tool `read_message` gives the model any message that is not hidden, in full. Needs a history. Default false. */
  readonly readMessages?: boolean
  /** What the model reads of a cancelled turn. `keep`: its answer was cancelled. `disregard`: to ignore it all. Default `keep`. */
  readonly cancelledTurn?: CancelledTurn
  /** States that tools read. Name them if conversations may grow beyond 2048 messages. */
  readonly state?: readonly State<unknown>[]
  /** How often the model may be asked in one turn. Default 20. */
  readonly maxRounds?: number
  /** How long a tool may take. Default one minute. */
  readonly toolTimeoutMs?: number
  /** Whether tools of a round run in order, to find what earlier ones made. A tool's `inOrder` wins. Default: whether `state` names one. */
  readonly toolsInOrder?: boolean
  /** The counter for `respond`; a history has its own. Default `estimate()`. */
  readonly count?: TokenCounter
}

export const chatNames: OptionNames<ChatOptions> = {
  model: 1,
  system: 1,
  notes: 1,
  policy: 1,
  pins: 1,
  shape: 1,
  systemPrompt: 1,
  marker: 1,
  window: 1,
  overflow: 1,
  maxToolTokens: 1,
  reserve: 1,
  settings: 1,
  maxResultTokens: 1,
  stallMs: 1,
  maxReply: 1,
  history: 1,
  tools: 1,
  readMessages: 1,
  cancelledTurn: 1,
  state: 1,
  maxRounds: 1,
  toolTimeoutMs: 1,
  toolsInOrder: 1,
  count: 1,
  retries: 1,
  backoffMs: 1,
}

/** Refuses bad options before the first turn, and adds the settings of the history, which must not differ. */
export function readOptions(options: ChatOptions): ChatOptions {
  refuseUnknown(options, chatNames)
  checkOptions(options)
  const settings = options.history?.settings ?? {}
  for (const name of ['window', 'reserve', 'policy'] as const) {
    const [chatValue, historyValue] = [options[name], settings[name]]
    if (chatValue === undefined || historyValue === undefined || chatValue === historyValue)
      continue
    const both =
      name === 'policy' ? '' : ` (${showValue(historyValue)} and ${showValue(chatValue)})`
    throw new InvalidOptionError(
      name,
      `history and chat have different ones${both}: set it in one place`,
    )
  }
  return { ...settings, ...(present(options) as ChatOptions) }
}

function checkOptions(options: ChatOptions): void {
  const { model, history, system, tools, notes, cancelledTurn, window = 4096 } = options ?? {}
  const isModel = typeof model?.stream === 'function' && typeof model.window === 'function'
  const aModel = 'a model: ollama({ model }), reader(), or your own { name, window(), stream() }'
  checkOption('model', isModel && typeof model.name === 'string', aModel, model)
  const isHistory = history === undefined || typeof history?.thread === 'function'
  checkOption('history', isHistory, 'what createHistory({ store }) gives', history)
  const isSystem = ['undefined', 'string', 'function'].includes(typeof system)
  checkOption('system', isSystem, 'a text or a function that gives one', system)
  const isEnding = [undefined, 'keep', 'disregard'].includes(cancelledTurn)
  checkOption('cancelledTurn', isEnding, '"keep" or "disregard"', cancelledTurn)
  for (const [option, least] of Object.entries(leasts)) {
    const value = options[option as keyof typeof leasts]
    const isFine = value === undefined || (Number.isFinite(value) && value >= least)
    checkOption(option, isFine, `a number of at least ${least}`, value)
  }
  checkTools(tools, options.readMessages ? [readMessageSpec.name] : [])
  checkNotes(notes)
  // A reserve is compared with the window that the model says.
  checkFitOptions({ ...options, window, reserve: 0, ...notesInContext(options) })
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

function checkTools(tools: unknown, taken: readonly string[]): void {
  if (tools === undefined) return
  checkOption('tools', Array.isArray(tools), 'a list of what defineTool gives', tools)
  const names = new Set<string>()
  for (const tool of tools as readonly Partial<Tool>[]) {
    const { name = '', schema, run } = tool ?? {}
    const isTool = schema !== undefined && typeof run === 'function'
    checkOption('tools', isTool, 'a list of what defineTool gives', tool)
    if ([readResultName, noteToolName, ...taken].includes(name))
      throw new InvalidOptionError(
        'tools',
        `"${name}" is a tool of the chat itself: choose another name`,
      )
    if (names.has(name))
      throw new InvalidOptionError('tools', `two tools are called "${name}": rename one`)
    names.add(name)
  }
}

function checkNotes(notes: ChatOptions['notes'] = false): void {
  if (typeof notes === 'boolean') return
  checkOption(
    'notes',
    typeof notes === 'object' && notes !== null,
    'true, false or { by, place, … }',
    notes,
  )
  const { by = 'reply' } = notes
  checkOption('notes', by === 'reply' || by === 'tool', 'by: "reply" or by: "tool"', by)
}

export function checkOption(option: string, isFine: boolean, what: string, got: unknown): void {
  if (!isFine) throw new InvalidOptionError(option, `expected ${what}, got ${showValue(got)}`)
}
