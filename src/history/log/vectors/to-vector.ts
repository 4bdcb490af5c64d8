import { EmbedError } from './embed-error.ts'

/** Longer vectors are refused: no model has them, and every entry would carry one. */
export const longest = 8192

/**
 * A vector as small integers, the largest of which is 127. Products of integers are the same on every engine, and a hundredth
 * part of what a float says is enough to compare. Undefined for a vector of zeros, which points nowhere.
 */
export function toVector(source: unknown, length: number | undefined): Int8Array | undefined {
  const values = source as ArrayLike<unknown> | null | undefined
  const size = typeof source === 'object' ? values?.length : undefined
  if (!Number.isInteger(size) || size! < 1 || size! > longest)
    throw invalid(`expected a vector of 1 to ${longest} numbers`)
  if (length !== undefined && size !== length)
    throw invalid(`expected ${length} numbers as before, got ${size}: another model needs another name`)
  let most = 0
  for (let at = 0; at < size!; at++) {
    const value = values![at]
    if (typeof value !== 'number' || !Number.isFinite(value)) throw invalid('expected finite numbers')
    most = Math.max(most, Math.abs(value))
  }
  if (most === 0) return undefined
  const vector = new Int8Array(size!)
  for (let at = 0; at < size!; at++) vector[at] = Math.round(((values![at] as number) / most) * 127)
  return vector
}

export const invalid = (problem: string) =>
  new EmbedError('invalid_vector', `The embedder's answer: ${problem}.`)
