import { refuseUnknown } from '@throughline/core/errors'
import type { Embedder } from '@throughline/core/recall'
import { ModelError } from '../model.ts'

/** Options of `transformersEmbed`. */
export interface TransformersEmbedOptions {
  /** A model for feature extraction, in ONNX: a name on Hugging Face, or a folder. Default `Xenova/all-MiniLM-L6-v2`. */
  readonly model?: string
  /** How the weights are stored, such as `q8`. Default: what the package chooses. */
  readonly dtype?: string
  /** Loads the package `@huggingface/transformers`. Default: it is imported when the first texts come. */
  readonly load?: () => Promise<Transformers>
}

/** What is used of `@huggingface/transformers`. */
export interface Transformers {
  /** Loads a model for vectors. */
  pipeline(
    task: 'feature-extraction',
    model: string,
    options: Pick<TransformersEmbedOptions, 'dtype'>,
  ): Promise<Extract>
}

type Extract = (
  texts: string[],
  options: { readonly pooling: 'mean'; readonly normalize: boolean },
) => Promise<{ tolist(): unknown }>

/**
 * Makes an embedder in this process, for `createHistory({ embed })`. `@huggingface/transformers` fetches the model once.
 *
 * @example
 * const embed = transformersEmbed({ model: 'Xenova/all-MiniLM-L6-v2' })
 */
export function transformersEmbed(options: TransformersEmbedOptions = {}): Embedder {
  refuseUnknown(options, { model: 1, dtype: 1, load: 1 })
  const { model = 'Xenova/all-MiniLM-L6-v2', dtype, load = importTransformers } = options
  let loading: Promise<Extract> | undefined

  async function open(): Promise<Extract> {
    const { pipeline } = await load().catch(cause => {
      const message = 'transformersEmbed needs a package: npm install @huggingface/transformers'
      throw new ModelError('model_unavailable', message, { cause, isRetryable: false })
    })
    return pipeline('feature-extraction', model, dtype === undefined ? {} : { dtype })
  }

  return {
    model,
    async embed(texts) {
      loading ??= open()
      const extract = await loading.catch(error => {
        // The model may be there the next time.
        loading = undefined
        throw error
      })
      return (
        await extract([...texts], { pooling: 'mean', normalize: true })
      ).tolist() as number[][]
    },
  }
}

/** A name that is not written out: the package is optional, so neither the types nor the build may look for it. */
const packageName = '@huggingface/transformers'
const importTransformers = (): Promise<Transformers> => import(packageName)
