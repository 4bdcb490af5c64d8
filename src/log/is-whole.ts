/** Whether a value is a whole number of at least `least`. */
export const isWhole = (value: unknown, least = 0): value is number =>
  Number.isSafeInteger(value) && (value as number) >= least
