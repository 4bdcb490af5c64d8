import { isLong } from './is-long.ts'

/** So many of a list, spread over all of it; all of them in the long run. */
export function spread<T>(all: readonly T[], count: number): readonly T[] {
  if (isLong || all.length <= count) return all
  return Array.from({ length: count }, (_, n) => all[Math.floor(((n + 0.5) * all.length) / count)]!)
}
