export function isCount(value: unknown, least = 0): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least
}
