import { InvalidArgumentError } from 'commander'

/** Reads an option that is a whole number, 0 or more. */
export function wholeNumber(text: string): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number
  throw new InvalidArgumentError('Expected a whole number.')
}
