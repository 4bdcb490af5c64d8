import { orAborted } from '../../../log/or-aborted.ts'
import { EmbedError } from './embed-error.ts'
import type { CheckedEmbed } from './embed-options.ts'
import { invalid, toVector } from './to-vector.ts'

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
