import { stalled } from '../chat/call-model.ts'
import { withLimit } from '../chat/with-limit.ts'
import type { Model, ModelPart } from '../models/model.ts'
import { ModelError } from '../models/model-error.ts'

/**
 * The model with each reply held back until it is whole: nobody watches it being written here, so that a stream which
 * breaks in its middle can be asked for again, and leaves nothing behind.
 */
export function collectReplies(model: Model, { stallMs }: { readonly stallMs: number }): Model {
  const limit = (signal: AbortSignal) => ({ signal, ms: stallMs, late: () => stalled(stallMs) })
  return {
    name: model.name,
    window: (signal = never) => withLimit(model.window(signal), limit(signal)),
    async *stream({ signal = never, ...request }) {
      const over = new AbortController()
      const own = AbortSignal.any([signal, over.signal])
      const stream = model.stream({ ...request, signal: own })[Symbol.asyncIterator]()
      const parts: ModelPart[] = []
      try {
        for (;;) {
          const { done, value } = await withLimit(stream.next(), limit(signal))
          if (done) break
          parts.push(value)
        }
      } catch (error) {
        over.abort(error)
        void Promise.resolve(stream.return?.()).catch(() => undefined)
        throw error
      }
      if (parts.at(-1)?.type !== 'end')
        throw new ModelError('model_stream_broken', `The stream of ${model.name} stopped before its end.`)
      yield* parts
    },
  }
}

/** Longer than any call: what is held back must not look like a stall to those above. */
export const neverStalls = 2 ** 31 - 1

const never = new AbortController().signal
