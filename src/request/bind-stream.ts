import { bindContext } from './request-context.ts'

/**
 * Binds a stream to the present request context. Without it a generator or the `pull` of a stream runs in the context
 * of its reader, and a web server reads the body after the handler has returned, outside of all contexts.
 *
 * @example
 * return runWithContext(context, () => new Response(bindStream(agent.stream())))
 */
export function bindStream<T>(stream: ReadableStream<T>): ReadableStream<T>
export function bindStream<T>(stream: AsyncIterable<T>): AsyncIterableIterator<T, void, undefined>
export function bindStream<T>(
  stream: ReadableStream<T> | AsyncIterable<T>,
): ReadableStream<T> | AsyncIterableIterator<T, void, undefined> {
  return isReadable(stream) ? bindReadable(stream) : bindIterable(stream)
}

function bindReadable<T>(stream: ReadableStream<T>): ReadableStream<T> {
  const reader = stream.getReader()
  const pull = async (controller: ReadableStreamDefaultController<T>) => {
    const { done, value } = await reader.read()
    if (done) controller.close()
    else controller.enqueue(value)
  }
  // Nothing is read ahead: the reader sets the pace.
  return new ReadableStream<T>(
    { pull: bindContext(pull), cancel: bindContext((reason: unknown) => reader.cancel(reason)) },
    { highWaterMark: 0 },
  )
}

function bindIterable<T>(stream: AsyncIterable<T>): AsyncIterableIterator<T, void, undefined> {
  const iterator = bindContext(() => stream[Symbol.asyncIterator]())()
  return {
    next: bindContext(() => iterator.next()),
    // A reader that leaves early still lets the generator clean up, in its own context.
    return: bindContext(async () => {
      await iterator.return?.()
      return { done: true, value: undefined } as const
    }),
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

function isReadable<T>(stream: ReadableStream<T> | AsyncIterable<T>): stream is ReadableStream<T> {
  return typeof (stream as ReadableStream<T>).getReader === 'function'
}
