import { cut } from './line.ts'
import { nearest } from './nearest.ts'

/** Every error of this library: a stable `code` for programs, a message that says what, where and what to do. */
export class ThroughlineError extends Error {
  /** Stable between versions: compare this, never the message. */
  declare readonly code: string
  /** All that is wrong, each with its place, where there may be several. */
  declare readonly problems?: readonly string[]

  /** For errors of the library: applications catch them, and need not make any. */
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.code = code
  }
}

/** A value that cannot be read as a message. `seq` is its place in the list, counted from 0. */
export class InvalidMessageError extends ThroughlineError {
  /** Its place in the list that was passed, counted from 0. */
  declare readonly seq: number

  /** The message of the error is made of the place and the problem. */
  constructor(seq: number, problem: string, options?: ErrorOptions) {
    super('invalid_message', `Message ${seq}: ${problem}`, options)
    this.seq = seq
  }
}

/** An option that makes no sense. `option` is its name. */
export class InvalidOptionError extends ThroughlineError {
  /** The name as the caller writes it. */
  declare readonly option: string

  /** The message of the error is made of the name and the problem. */
  constructor(option: string, problem: string) {
    super('invalid_option', `Option "${option}": ${problem}`)
    this.option = option
  }
}

/** A request that cannot be understood. The message names the field and says what it should be. */
export class BadRequestError extends ThroughlineError {
  /** Where in the body: `messages[3].content`. */
  readonly field: string | undefined

  constructor(message: string, field?: string) {
    super('bad_request', message)
    this.field = field
  }
}

/** Something that a request names and that is not here, or not for this client. */
export class NotFoundError extends ThroughlineError {
  readonly field: string | undefined

  constructor(code: string, message: string, field?: string) {
    super(code, message)
    this.field = field
  }
}

/** A caller's value in the words of an error: texts are quoted and cut, objects are named by their kind. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(cut(value, 40))
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'function') return 'a function'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

/** All names of the options of a type: the compiler finds one that is missing or too many. */
export type OptionNames<Options> = { readonly [Name in keyof Options]-?: unknown }

/** Throws InvalidOptionError for an unknown option, such as `reserv`, and says which one was probably meant. */
export function refuseUnknown<Options extends object>(
  options: Options | undefined,
  names: OptionNames<Options>,
): void {
  const all = Object.keys(names)
  if (options === undefined) return
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    const some = all.length > 1 ? 'some of ' : ''
    throw new InvalidOptionError(
      'options',
      `expected an object with ${some}${all.join(', ')}, got ${showValue(options)}`,
    )
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || all.includes(name)) continue
    if (all.length === 0) throw new InvalidOptionError(name, 'is unknown: none is known here.')
    throw new InvalidOptionError(name, `is unknown. ${adviceOn(name, all)}`)
  }
}

function adviceOn(name: string, all: readonly string[]): string {
  const elsewhere = ourNames[name.replaceAll('_', '').toLowerCase()]
  if (elsewhere !== undefined && all.includes(elsewhere)) return `Use ${elsewhere}.`
  const meant = nearest(name, all)
  return meant ? `Did you mean ${meant}?` : `Known: ${all.join(', ')}.`
}

/** What options are called by other libraries, in small letters. A map, because any name may be asked for. */
const ourNames: Readonly<Record<string, string | undefined>> = Object.assign(Object.create(null), {
  maxtokens: 'window',
  maxinputtokens: 'window',
  tokenlimit: 'window',
  maxcontexttokens: 'window',
  contextwindow: 'window',
  contextlength: 'window',
  contextsize: 'window',
  numctx: 'window',
  tokenizer: 'count',
  tokencounter: 'count',
  counttokens: 'count',
  strategy: 'policy',
  inputschema: 'input',
  schema: 'input',
  execute: 'run',
  handler: 'run',
  func: 'run',
})
