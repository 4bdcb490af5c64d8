import type { Model, ModelPart } from '../models/model.ts'
import { ModelError } from '../models/model-error.ts'

/**
 * The model with each reply held back until it is whole: nobody watches it being written here, so that a stream which
 * breaks in its middle can be asked for again, and leaves nothing behind.
 */
export function collectReplies(model: Model, { stallMs }: { readonly stallMs: number }): Model {
  return {
    name: model.name,
    window: signal => model.window(signal),
    async *stream(request) {
      const stall = new AbortController()
      const signal = AbortSignal.any([stall.signal, ...(request.signal ? [request.signal] : [])])
      const stream = model.stream({ ...request, signal })[Symbol.asyncIterator]()
      const parts: ModelPart[] = []
      try {
        for (;;) {
          const { done, value } = await inTime(stream.next(), stallMs, model.name)
          if (done) break
          parts.push(value)
        }
      } catch (error) {
        stall.abort(error)
        void Promise.resolve(stream.return?.()).catch(() => undefined)
        throw error
      }
      yield* parts
    },
  }
}

/** Longer than any call: what is held back must not look like a stall to those above. */
export const neverStalls = 2 ** 31 - 1

async function inTime<T>(next: Promise<T>, stallMs: number, name: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new ModelError('model_stalled', `Nothing came from ${name} for ${stallMs} ms.`)),
      stallMs,
    )
  })
  next.catch(() => undefined)
  try {
    return await Promise.race([next, late])
  } finally {
    clearTimeout(timer)
  }
}
