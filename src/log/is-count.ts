/** Whether a value is a whole number of at least `least`. */
export function isCount(value: unknown, least = 0): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least
}
