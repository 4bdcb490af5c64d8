import { BadRequestError, ThroughlineError } from '@throughline/core/errors'
import { plural } from '@throughline/core/values'
import { StoreError } from '@throughline/stores/errors'

/** Where something stands in a file: the line, from 1, and the path in its JSON, such as `$[3].mapping`. */
export interface FilePlace {
  readonly line: number
  readonly path?: string | undefined
}

/** A file that cannot be imported: where, and why. Nothing of it is stored. */
export class InvalidImportError extends ThroughlineError {
  /** The line of the text, counted from 1. */
  readonly line: number
  /** The place in the JSON of a format that is not ours. */
  readonly path: string | undefined

  /** The message begins with the place. */
  constructor({ line, path }: FilePlace, problem: string, options?: ErrorOptions) {
    const where = path === undefined || path === '$' ? `Line ${line}` : `Line ${line}, ${path}`
    super('invalid_import', `${where} of the import: ${problem}`, options)
    this.line = line
    this.path = path
  }
}

/** An import that broke off while writing, on a full disk, say. What was stored stays; the same text again goes on from there. */
export class ImportStoppedError extends ThroughlineError {
  /** How many conversations are stored whole; of the next one a part may be. */
  readonly stored: number
  /** How many conversations the text has. */
  readonly total: number
  /** How far it came, without the words of its cause. */
  readonly progress: string

  /** `hasPart`: whether the store has a part of the next conversation. */
  constructor(stored: number, total: number, hasPart: boolean, cause: unknown) {
    const part = hasPart ? ', and a part of the next one' : ''
    const progress = `The import stopped after ${stored} of ${plural(total, 'conversation')}, which are stored${part}: import the same again, and it goes on from there.`
    const code = cause instanceof ThroughlineError ? cause.code : 'store_failed'
    super(code, `${progress} ${(cause as Error).message}`, { cause })
    this.stored = stored
    this.total = total
    this.progress = progress
  }
}

export const noJson = 'it is no JSON. Is the file cut off, or changed by an editor?'

export async function atPlace<T>(place: FilePlace, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toImportError(place, error)
  }
}

/** An error of the store itself is not about the file, and stays as it is. */
export function toImportError({ line, path }: FilePlace, error: unknown): unknown {
  if (error instanceof InvalidImportError || error instanceof StoreError) return error
  if (error instanceof BadRequestError)
    return new InvalidImportError({ line, path: error.field }, withoutField(error), {
      cause: error,
    })
  const problem =
    error instanceof RangeError ? 'it is nested too deeply.' : (error as Error).message
  return new InvalidImportError({ line, path }, problem, { cause: error })
}

/** The problem alone: the place is told already. */
const withoutField = ({ message, field }: BadRequestError): string =>
  message.startsWith(`"${field}" `) ? `it ${message.slice(`"${field}" `.length)}.` : message
