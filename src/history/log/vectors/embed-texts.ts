import { ThroughlineError } from '../../../log/error.ts'
import { orAborted } from '../../../log/or-aborted.ts'
import type { CheckedEmbed } from './embed-options.ts'

/** Texts that got no vectors: `embed_timeout` if they did not come in time, `invalid_vector` if what came is none. */
export class EmbedError extends ThroughlineError {
  declare readonly code: 'embed_timeout' | 'invalid_vector'
}

/** A vector; `none` for a text that the model refuses while it takes others. Undefined: not known, it can be asked again. */
export type Embedded = Int8Array | 'none' | undefined

/** After this many refusals and not one answer the embedder itself is at fault, not a text. */
const mostRefused = 2

/**
 * The vectors of texts, asked for in one request. If that fails they are asked for one by one, the first ones first: one
 * text that the model refuses must not cost all others theirs. Never throws, and never waits longer than `waitMs`.
 */
export async function embedTexts(
  { embed, waitMs, onError }: Pick<CheckedEmbed, 'embed' | 'waitMs' | 'onError'>,
  texts: readonly string[],
  length: number | undefined,
): Promise<readonly Embedded[]> {
  if (texts.length === 0) return []
  const controller = new AbortController()
  const { signal } = controller
  const late = new EmbedError('embed_timeout', `The embedder did not answer within ${waitMs} ms.`)
  const timer = setTimeout(() => controller.abort(late), waitMs)
  let size = length

  async function ask(batch: readonly string[]): Promise<readonly Embedded[]> {
    signal.throwIfAborted()
    // Within a promise, because a function of the caller may also throw.
    const work = Promise.resolve().then(() => embed(batch, { signal }))
    const answer: unknown = await orAborted(work, signal)
    const count = Array.isArray(answer) ? answer.length : 0
    if (count !== batch.length) throw invalid(`expected ${batch.length} vectors, got ${count}`)
    let expected = size
    const vectors = (answer as readonly ArrayLike<unknown>[]).map(one => {
      const vector = toVector(one, expected)
      expected = one.length
      return vector ?? 'none'
    })
    size = expected
    return vectors
  }

  try {
    return await ask(texts)
  } catch (error) {
    tell(onError, error)
    return texts.length > 1 && !signal.aborted ? await askEach() : texts.map(() => undefined)
  } finally {
    clearTimeout(timer)
    controller.abort()
  }

  async function askEach(): Promise<readonly Embedded[]> {
    const vectors: Embedded[] = texts.map(() => undefined)
    const refused: number[] = []
    for (const [at, text] of texts.entries()) {
      try {
        vectors[at] = (await ask([text]))[0]
      } catch {
        if (signal.aborted) break
        refused.push(at)
        if (refused.length > at && refused.length >= mostRefused) return vectors
      }
    }
    if (refused.length < texts.length) for (const at of refused) vectors[at] = 'none'
    return vectors
  }
}

/** Tells the caller, whose function may throw. */
export function tell(onError: (error: unknown) => void, error: unknown): void {
  try {
    onError(error)
  } catch {
    // A broken report must not break the turn.
  }
}

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
