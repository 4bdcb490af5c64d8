import { InvalidOptionError, showValue } from '../../../log/error.ts'
import type { Embedder } from '../../../models/embedder.ts'

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
    throw new InvalidOptionError('embed', 'expected { model, embed }, such as ollamaEmbed({ model })')
  if (typeof model !== 'string' || !isModelName.test(model))
    throw new InvalidOptionError(
      'embed.model',
      `expected a name of 1 to 200 characters, got ${showValue(model)}`,
    )
  if (!(weight >= 0 && weight <= 10))
    throw new InvalidOptionError('embed.weight', `expected a number from 0 to 10, got ${showValue(weight)}`)
  if (!(waitMs > 0 && waitMs < 2 ** 31))
    throw new InvalidOptionError('embed.waitMs', `expected milliseconds above 0, got ${showValue(waitMs)}`)
  // The methods of an object may need it.
  return { model, weight, waitMs, onError, embed: (texts, options) => embedding.embed(texts, options) }
}

/** The name becomes part of a key of the store. */
const isModelName = /^[^\p{Cc}\p{Cs}]{1,200}$/u
