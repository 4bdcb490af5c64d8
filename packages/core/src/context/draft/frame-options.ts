import { InvalidOptionError, type OptionNames, showValue } from '../../log/error.ts'
import type { MessageLike } from '../../log/message.ts'
import { markerText } from '../../log/texts.ts'
import { isCount } from '../../log/values.ts'
import { checkNonce } from '../../notes/note-scanner.ts'
import { checkedCounter, type TokenCounter } from '../../tokens/create-counter.ts'
import { estimate } from '../../tokens/estimate.ts'
import { isLayout, type PromptLayout } from '../prompt/prompt-layout.ts'

/** The room for the context, and the rules of the model that gets it. Only the window is needed. */
export interface FrameOptions {
  /** The tokens that the model can take, prompt and reply together. */
  readonly window: number
  /** The part of the window that is kept free for the reply. Default 0. */
  readonly reserve?: number
  /** The token counter. Default: a safe estimate with a margin of 5 %. For an exact one see throughline/tokens/o200k. */
  readonly count?: TokenCounter
  /** Tool schemas that are sent with the prompt, so that they are counted. */
  readonly tools?: readonly unknown[]
  /** The most tokens of `tools`: beyond it `context.tools` has them with shorter descriptions. Default: they stay whole. */
  readonly maxToolTokens?: number
  /** Where notes to self are sent: with their replies, in the system prompt, or nowhere. Default `'inline'`. */
  readonly notes?: NotesPlace
  /**
   * `'when cut'`: while everything fits, also a text that looks like a note to self, or like a line of ours, is sent as it was
   * written. For a list that is a client's own. Default `'always'`: it is quoted.
   */
  readonly quoteNotes?: QuoteNotes
  /** Tokens for the notes section; the oldest notes are left out first. Default: a sixteenth of the window. */
  readonly noteBudget?: number
  /** How many notes the section has at most: the newest. Default: as many as `noteBudget` takes. */
  readonly noteCount?: number
  /** A secret in the marker of notes, where only the model may write one: `[NOTE TO SELF a1b2: …]`. */
  readonly nonce?: string
  /** Facts that travel in the system prompt, whatever is left out. */
  readonly pins?: readonly string[]
  /** `'alternating'` for templates such as Gemma's and Mistral's: both sides alternate, one system at most. Default `'free'`. */
  readonly shape?: Shape
  /** False where the template has no system role: the system prompt becomes the head of the first user message. Default true. */
  readonly systemRole?: boolean
  /**
   * `'stable'` keeps the beginning of the system prompt the same, so that a model server need not read everything again: lines
   * that were seen to change, such as a clock, stand in a system message just before the newest user message. `'as user'`: as
   * user text, for templates that take no such system message. `'when cut'`: as `'stable'`, but only lines that differ in nothing
   * but numbers, dates and times, and only where not everything fits. Default `'as sent'`.
   */
  readonly systemPrompt?: SystemPromptPlace
  /** The `promptLayout` of the previous call's context. Default: nothing is known, and the system prompt stays as it is. */
  readonly promptLayout?: PromptLayout
  /**
   * True to fill the window: more is in view, and most of the prompt is read again on every turn. Default: room is kept free to
   * grow into, so that the beginning of the prompt stays the same.
   */
  readonly full?: boolean
  /** Tells the model that messages were left out. Default `[Several conversation turns removed to conserve context.]`. */
  readonly marker?: string
  /**
   * What to do when even the protected part does not fit: throw, send it all the same, cut results of tools and then what users
   * pasted earlier, or only results. The system prompt, pins, notes and the newest request are never cut. Default `'error'`.
   */
  readonly overflow?: Overflow
  /** Gives a message without the files that the model does not take, and why; undefined if it takes them all. Default: it does. */
  readonly leaveOut?: LeaveOut
}

/** Called with each message that is sent and holds images, other files or parts of an unknown kind. */
export type LeaveOut = (
  message: MessageLike,
) => { readonly message: MessageLike; readonly why: string } | undefined

export type SystemPromptPlace = 'as sent' | 'stable' | 'as user' | 'when cut'
export type QuoteNotes = 'always' | 'when cut'
export type NotesPlace = 'inline' | 'system' | false
export type Shape = 'free' | 'alternating'
export type Overflow = 'error' | 'keep' | 'trim' | 'trim-results'

/** Whether the beginning of the prompt is kept the same: its system prompt, and the order of its tools. */
export const keepsPrompt = (place: SystemPromptPlace = 'as sent'): boolean => place !== 'as sent'

/** For a model that takes system messages only at the front: changing lines become the user's text if asked, else stay. */
export const withoutLateSystem = (place: SystemPromptPlace = 'as sent'): SystemPromptPlace =>
  place === 'as user' ? place : 'as sent'

/** Whether a value is good, and what is expected; `…` stands for the value. */
type Rule = readonly [isGood: (value: unknown) => boolean, expected: string]

const isFunction = (value: unknown) => typeof value === 'function'
const areTexts = (value: unknown) =>
  Array.isArray(value) && value.every(pin => typeof pin === 'string')
const oneOf = (...allowed: readonly unknown[]): Rule => [
  value => allowed.includes(value),
  `one of ${allowed.map(one => JSON.stringify(one)).join(', ')}, got …`,
]

/** All options. `checkOptions` looks itself at those without a rule. */
const rules: Readonly<Record<keyof FrameOptions, Rule | undefined>> = {
  window: [value => isCount(value, 1), "the model's window in tokens, such as 4096, got …"],
  reserve: undefined,
  count: [
    value => isFunction(Object(value).message),
    'a token counter, such as estimate() or o200k()',
  ],
  tools: [value => !value || Array.isArray(value), 'a list of tool schemas'],
  maxToolTokens: [value => isCount(value), 'a number of tokens, got …'],
  notes: oneOf('inline', 'system', false),
  quoteNotes: oneOf('always', 'when cut'),
  noteBudget: [value => isCount(value), 'tokens, got …'],
  noteCount: [value => isCount(value), 'a number of notes, got …'],
  nonce: undefined,
  pins: [areTexts, 'a list of texts'],
  shape: oneOf('free', 'alternating'),
  systemRole: undefined,
  systemPrompt: oneOf('as sent', 'stable', 'as user', 'when cut'),
  promptLayout: [isLayout, 'what a context gave'],
  full: [value => typeof value === 'boolean', 'true or false, got …'],
  marker: [value => typeof value === 'string' && value !== '', 'a text, got …'],
  overflow: oneOf('error', 'keep', 'trim', 'trim-results'),
  leaveOut: [isFunction, 'a function'],
}

export const frameNames: OptionNames<FrameOptions> = rules

/** Throws InvalidOptionError for bad options. */
export function checkOptions(options: FrameOptions): void {
  const { window, reserve = 0, nonce } = options ?? {}
  for (const [name, rule] of Object.entries(rules)) {
    const value = options?.[name as keyof FrameOptions]
    if (!rule || (value === undefined && name !== 'window')) continue
    const [isGood, expected] = rule
    if (!isGood(value))
      refuse(
        name,
        expected.replace('…', () => showValue(value)),
      )
  }
  if (!isCount(reserve) || reserve >= window)
    refuse('reserve', `0 to ${window - 1} (window - 1), got ${showValue(reserve)}`)
  checkNonce(nonce)
}

function refuse(option: string, expected: string): never {
  throw new InvalidOptionError(option, `expected ${expected}`)
}

export type SettledOptions = ReturnType<typeof settleOptions>

/** The options with their defaults, and nothing else of what was passed: a frame must not hold on to it. */
export function settleOptions(options: FrameOptions) {
  const {
    window,
    reserve = 0,
    tools = [],
    pins = [],
    nonce,
    leaveOut,
    promptLayout,
    systemPrompt,
  } = options
  const { notes = 'inline', noteBudget = Math.floor(window / 16) } = options
  const { noteCount = Number.POSITIVE_INFINITY, marker = markerText, overflow = 'error' } = options
  const { shape = 'free', systemRole = true, full = false, quoteNotes = 'always' } = options
  const room = {
    window,
    reserve,
    count: counterOf(options),
    tools,
    full,
    overflow,
    marker,
    leaveOut,
  }
  const ofNotes = { notes, quoteNotes, noteBudget, noteCount, nonce }
  return { ...room, ...ofNotes, pins, shape, systemRole, systemPrompt, promptLayout }
}

/** The counter of the options, or the estimate. */
export function counterOf({
  count = defaultCounter,
}: Pick<FrameOptions, 'count'>): Required<TokenCounter> {
  return checkedCounter(count)
}

const defaultCounter = estimate()
