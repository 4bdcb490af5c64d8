import { InvalidOptionError, showValue, ThroughlineError } from '@throughline/core/errors'
import type { Embedder } from '@throughline/core/recall'
import { orAborted } from '@throughline/core/values'

/** Texts that got no vectors: `embed_timeout` if they did not come in time, `invalid_vector` if what came is none. */
export class EmbedError extends ThroughlineError {
  /**
   * `embed_timeout`: no answer in time. `invalid_vector`: an answer that is no vector of this
   * model.
   */
  declare readonly code: 'embed_timeout' | 'invalid_vector'
}

/** A vector; `none` for a text that the model refuses while it takes others. Undefined: not known, it can be asked again. */
export type Embedded = Int8Array | 'none' | undefined

/** After this many refusals and not one answer the embedder itself is at fault, not a text. */
const mostRefused = 2

/** Embeds texts in one request; if it fails, one by one: refused texts must not cost others. Within `waitMs`; never throws. */
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

/** A vector as integers up to 127: the same on every engine, and precise enough. None if all are 0. */
export function toVector(source: unknown, length: number | undefined): Int8Array | undefined {
  const values = source as ArrayLike<unknown> | null | undefined
  const size = typeof source === 'object' ? values?.length : undefined
  if (!Number.isInteger(size) || size! < 1 || size! > longest)
    throw invalid(`expected a vector of 1 to ${longest} numbers`)
  if (length !== undefined && size !== length)
    throw invalid(
      `expected ${length} numbers as before, got ${size}: another model needs another name`,
    )
  let most = 0
  for (let at = 0; at < size!; at++) {
    const value = values![at]
    if (typeof value !== 'number' || !Number.isFinite(value))
      throw invalid('expected finite numbers')
    most = Math.max(most, Math.abs(value))
  }
  if (most === 0) return undefined
  const vector = new Int8Array(size!)
  for (let at = 0; at < size!; at++) vector[at] = Math.round(((values![at] as number) / most) * 127)
  return vector
}

export const invalid = (problem: string) =>
  new EmbedError('invalid_vector', `The embedder's answer: ${problem}.`)

/** Lets recall find what means the same in other words. */
export interface EmbedOptions extends Embedder {
  /** How much the meaning counts beside the words, from 0 to 10. Default 0.5. */
  readonly weight?: number
  /** The longest time that the beginning of a turn waits for vectors, in milliseconds. Default 3000. */
  readonly waitMs?: number
  /** Called when texts got no vectors. The turn goes on without them. Default: does nothing. */
  readonly onError?: (error: unknown) => void
}

export type CheckedEmbed = Required<Omit<EmbedOptions, 'embed'>> & Pick<EmbedOptions, 'embed'>

export function checkEmbed(embedding: EmbedOptions): CheckedEmbed {
  const { model, weight = 0.5, waitMs = 3000, onError = () => undefined } = embedding
  if (typeof embedding.embed !== 'function')
    throw new InvalidOptionError(
      'embed',
      'expected { model, embed }, such as ollamaEmbed({ model })',
    )
  if (typeof model !== 'string' || !isModelName.test(model))
    throw new InvalidOptionError(
      'embed.model',
      `expected a name of 1 to 200 characters, got ${showValue(model)}`,
    )
  if (!(weight >= 0 && weight <= 10))
    throw new InvalidOptionError(
      'embed.weight',
      `expected a number from 0 to 10, got ${showValue(weight)}`,
    )
  if (!(waitMs > 0 && waitMs < 2 ** 31))
    throw new InvalidOptionError(
      'embed.waitMs',
      `expected milliseconds above 0, got ${showValue(waitMs)}`,
    )
  // The methods of an object may need it.
  return {
    model,
    weight,
    waitMs,
    onError,
    embed: (texts, options) => embedding.embed(texts, options),
  }
}

/** The name becomes part of a key of the store. */
const isModelName = /^[^\p{Cc}\p{Cs}]{1,200}$/u
