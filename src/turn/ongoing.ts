import type { Emit } from './turn-part.ts'

/**
 * Work that is read as it happens: read its parts with `for await`, or await it for its result, or both. Nothing happens
 * before one of them. An async function that returns it gives its result instead: hand it on inside of an object.
 */
export interface Ongoing<Part, Result> extends AsyncIterable<Part>, PromiseLike<Result> {
  /** Does the work to its end if nobody reads its parts. */
  result(): Promise<Result>
}

/** What the work is given. */
export interface Telling<Part, Result> {
  readonly emit: Emit<Part>
  /** Tells the result, or why there is none. Before the last parts: whoever stops reading at them has it too. */
  settle(result: Result): void
  reject(error: unknown): void
  /** Aborted when whoever read the parts has left. */
  readonly left: AbortSignal
}

export interface Work<Part, Result> {
  run(telling: Telling<Part, Result>): Promise<void>
  /** Says what the result is of work that was left before it began. */
  leave(telling: Pick<Telling<Part, Result>, 'settle' | 'reject'>): void
  /** What is reported of work that nobody has awaited or read. */
  readonly unread: string
}

/** So long work may wait for somebody to read it. The process is kept alive as long, so that it is told at all. */
const longestUnread = 5_000

/**
 * Whoever stops reading ends the work: it is told so, closes what it has begun, and is waited for. A part is made when
 * it is asked for, so what was made is what was read.
 */
export function createOngoing<Part, Result>(work: Work<Part, Result>): Ongoing<Part, Result> {
  let settle!: (result: Result) => void
  let reject!: (error: unknown) => void
  const settled = new Promise<Result>((onResult, onError) => {
    settle = onResult
    reject = onError
  })
  // Who only reads the parts has seen the error there.
  settled.catch(() => undefined)
  const parts = createHandover<Part>()
  const left = new AbortController()
  const unread = setTimeout(report, longestUnread, work.unread)
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
      // Nobody reads: nobody is waited for. Who comes later finds the parts.
      parts.keep()
      start()
    }
    return settled
  }

  return {
    [Symbol.asyncIterator]: () => iterator,
    result,
    // biome-ignore lint/suspicious/noThenProperty: what people write first is `await chat.send(…)`
    then: (onResult, onError) => result().then(onResult, onError),
  }
}

function report(unread: string): void {
  process.emitWarning(unread, { code: 'THROUGHLINE_UNREAD' })
}

/** Hands parts over one by one: who gives one waits until the next is asked for. */
function createHandover<Part>() {
  const given: { readonly part: Part; readonly taken: () => void }[] = []
  let first = 0
  const readers: ((result: IteratorResult<Part, void> | PromiseLike<never>) => void)[] = []
  let lastTaken = () => {}
  let isLeft = false
  let isKept = false
  let ended: { readonly error?: unknown } | undefined

  function serve(): void {
    while (readers.length > 0 && (first < given.length || ended)) {
      const reader = readers.shift()!
      const next = given[first]
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
    if (first < given.length) return
    given.length = 0
    first = 0
  }

  return {
    give(part: Part): void | Promise<void> {
      // Whoever still waits for a part gets this one.
      if (isLeft && readers.length === 0) return
      if (isKept) {
        given.push({ part, taken: () => {} })
        return serve()
      }
      return new Promise(taken => {
        given.push({ part, taken })
        serve()
      })
    },
    /** Whoever gives a part does not wait until it is taken. */
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
    /** Nobody takes any more: whoever waits goes on. */
    leave(): void {
      isLeft = true
      lastTaken()
      for (const { taken } of given.splice(0)) taken()
      first = 0
    },
    end(how: { readonly error?: unknown } = {}): void {
      ended ??= how
      serve()
    },
  }
}
