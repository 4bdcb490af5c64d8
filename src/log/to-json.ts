import { InvalidMessageError } from './error.ts'

/** A part of a message as JSON. Throws on what JSON cannot hold (a cycle, a BigInt, absurd depth): it could not be sent either. */
export function toJson(value: unknown, seq: number, where: string): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch (error) {
    const why = error instanceof RangeError ? 'it is nested too deeply' : String((error as Error).message)
    const short = why.split('\n', 1)[0]
    throw new InvalidMessageError(seq, `"${where}" cannot be written as JSON: ${short}`, { cause: error })
  }
}
