import { InvalidOptionError } from '../log/error.ts'
import { showValue } from '../log/show-value.ts'

/** Refuses an `at` that cannot be the place of an entry. 0 is the beginning; a place beyond the head means the head. */
export function checkPlace(at: number | undefined): void {
  if (at === undefined || (Number.isSafeInteger(at) && at >= 0)) return
  throw new InvalidOptionError('at', `expected the place of an entry, such as 12, got ${showValue(at)}`)
}
