import { cut } from './line.ts'

/** Every error of this library: a stable `code` for programs, a message that says what, where and what to do. */
export class ThroughlineError extends Error {
  declare readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.code = code
  }
}

/** A value that cannot be read as a message. `seq` is its place in the list, counted from 0. */
export class InvalidMessageError extends ThroughlineError {
  declare readonly seq: number

  constructor(seq: number, problem: string, options?: ErrorOptions) {
    super('invalid_message', `Message ${seq}: ${problem}`, options)
    this.seq = seq
  }
}

/** An option that makes no sense. `option` is its name. */
export class InvalidOptionError extends ThroughlineError {
  declare readonly option: string

  constructor(option: string, problem: string) {
    super('invalid_option', `Option "${option}": ${problem}`)
    this.option = option
  }
}

/** A caller's value in the words of an error: texts are quoted and cut, objects are named by their kind. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(cut(value, 40))
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'function') return 'a function'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}
