import { stalled } from '../chat/call-model.ts'
import { linkSignals } from '../chat/link-signals.ts'
import { type Limit, withLimit } from '../chat/with-limit.ts'
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
    async window(signal = never) {
      try {
        return await withLimit(model.window(signal), limit(signal))
      } catch (error) {
        throw toModelError(error, signal)
      }
    },
    async *stream({ signal = never, ...request }) {
      const over = new AbortController()
      const own = linkSignals(signal, over.signal)
      const parts: ModelPart[] = []
      let stream: AsyncIterator<ModelPart> | undefined
      let isOver = false
      try {
        stream = model.stream({ ...request, signal: own.signal })[Symbol.asyncIterator]()
        do parts.push(await nextOf(model, stream, limit(signal)))
        while (parts.at(-1)!.type !== 'end')
        // Read to its very end, so that the connection can be used again; one that does not come is not waited for.
        const rest = { ...limit(signal), ms: Math.min(stallMs, longestEnd) }
        isOver = await withLimit(stream.next(), rest).then(
          ({ done = false }) => done,
          () => false,
        )
      } catch (error) {
        throw toModelError(error, signal)
      } finally {
        if (!isOver) {
          over.abort(signal.reason)
          void (async () => stream?.return?.())().catch(() => undefined)
        }
        own.unlink()
      }
      yield* parts
    },
  }
}

async function nextOf(model: Model, stream: AsyncIterator<ModelPart>, limit: Limit): Promise<ModelPart> {
  const { done, value } = await withLimit(stream.next(), limit)
  if (!done) return value
  throw new ModelError('model_stream_broken', `The stream of ${model.name} stopped before its end.`)
}

/** Whatever a model throws is its failure; what it did not mean to throw is not mended by asking again. */
function toModelError(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted || error instanceof ModelError) return error
  return new ModelError('model_refused', error instanceof Error ? error.message : String(error), {
    cause: error,
  })
}

const longestEnd = 1000

/** Longer than any call: what is held back must not look like a stall to those above. */
export const neverStalls = 2 ** 31 - 1

const never = new AbortController().signal
