import type { Emit } from './reply.ts'
import { withResolvers } from './wait/with-resolvers.ts'

/**
 * Work to be read with `for await`, awaited, or both: either begins it. Wrap it in an object to return it from an async
 * function, which would await it.
 */
export interface Ongoing<Part, Result> extends AsyncIterable<Part>, PromiseLike<Result> {
  /** Waits for the result. The work continues to its end even if its parts are not read. */
  result(): Promise<Result>
}

/** What work is made of. Setting the result comes before the last parts are given: a reader who stops there has it. */
export interface Work<Part, Result> {
  /** `left` is aborted when the reader of the parts has left. */
  run(
    telling: Settling<Result> & { readonly emit: Emit<Part>; readonly left: AbortSignal },
  ): Promise<void>
  /** Sets the result of work that was left before it began. */
  leave(telling: Settling<Result>): void
  /** The warning for work that is neither awaited nor read. */
  readonly unread: string
}

interface Settling<Result> {
  settle(result: Result): void
  reject(error: unknown): void
}

/** How long work may stay unread before the warning. The timer keeps the process alive, so that the warning appears. */
const longestUnread = 5_000

/** Makes work readable. A reader who stops ends it and waits for that. A part is made when the one before it was read. */
export function createOngoing<Part, Result>(work: Work<Part, Result>): Ongoing<Part, Result> {
  const { promise: settled, resolve: settle, reject } = withResolvers<Result>()
  // A rejected result is no unhandled rejection: readers of the parts get the error there.
  settled.catch(() => undefined)
  const parts = createHandover<Part>()
  const left = new AbortController()
  const warn = () => process.emitWarning(work.unread, { code: 'THROUGHLINE_UNREAD' })
  const unread = setTimeout(warn, longestUnread)
  let running: Promise<void> | undefined

  function start(): void {
    clearTimeout(unread)
    running ??= work.run({ emit: parts.give, settle, reject, left: left.signal }).then(
      () => parts.end(),
      error => {
        reject(error)
        parts.end({ error })
      },
    )
  }

  const iterator: AsyncIterableIterator<Part, void> = {
    [Symbol.asyncIterator]: () => iterator,
    next() {
      start()
      return parts.take()
    },
    async return() {
      await leave()
      return { done: true, value: undefined }
    },
    async throw(error) {
      await leave()
      throw error
    },
  }

  async function leave(): Promise<void> {
    clearTimeout(unread)
    if (running) left.abort()
    else work.leave({ settle, reject })
    running ??= Promise.resolve()
    parts.leave()
    await running
    parts.end()
  }

  function result(): Promise<Result> {
    if (!running) {
      // Only the result is awaited: the work must not wait for a reader. A later reader still gets all parts.
      parts.keep()
      start()
    }
    return settled
  }

  return {
    [Symbol.asyncIterator]: () => iterator,
    result,
    // biome-ignore lint/suspicious/noThenProperty: `await chat.send(…)` is what people write first
    then: (onResult, onError) => result().then(onResult, onError),
  }
}

/** Hands parts over one by one: `give` waits until the reader asks for the next part. */
function createHandover<Part>() {
  const parts: { readonly part: Part; readonly taken: () => void }[] = []
  let first = 0
  const readers: ((result: IteratorResult<Part, void> | PromiseLike<never>) => void)[] = []
  let lastTaken = () => {}
  let isLeft = false
  let isKept = false
  let ended: { readonly error?: unknown } | undefined

  function serve(): void {
    while (readers.length > 0 && (first < parts.length || ended)) {
      const reader = readers.shift()!
      const next = parts[first]
      if (next) {
        first += 1
        lastTaken = next.taken
        if (isLeft) lastTaken()
        reader({ done: false, value: next.part })
      } else {
        const { error } = ended!
        ended = {}
        reader(error === undefined ? { done: true, value: undefined } : Promise.reject(error))
      }
    }
    if (first < parts.length) return
    parts.length = 0
    first = 0
  }

  return {
    give(part: Part): void | Promise<void> {
      // A reader who asked before leaving still gets this part.
      if (isLeft && readers.length === 0) return
      if (isKept) {
        parts.push({ part, taken: () => {} })
        return serve()
      }
      return new Promise(taken => {
        parts.push({ part, taken })
        serve()
      })
    },
    /** From now on `give` keeps parts and does not wait. */
    keep(): void {
      isKept = true
    },
    take(): Promise<IteratorResult<Part, void>> {
      lastTaken()
      return new Promise(reader => {
        readers.push(reader)
        serve()
      })
    },
    /** The reader has left: `give` no longer waits. */
    leave(): void {
      isLeft = true
      lastTaken()
      for (const { taken } of parts.splice(0)) taken()
      first = 0
    },
    end(how: { readonly error?: unknown } = {}): void {
      ended ??= how
      serve()
    },
  }
}
