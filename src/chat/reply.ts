import type { MessageLike } from '../log/message.ts'
import type { ChatPart, ChatResult } from './chat-part.ts'
import { toError } from './end-failed.ts'

/**
 * A turn as it runs: read its parts with `for await`, or await it for its result, or both. Nothing happens before one of
 * them. An async function that returns a reply gives its result instead: hand the reply on inside of an object.
 */
export interface Reply extends AsyncIterable<ChatPart>, PromiseLike<ChatResult> {
  /** Runs the turn to its end if nobody reads it. Rejects when it failed; a cancelled turn is a result. */
  result(): Promise<ChatResult>
  /** What the turn has added to the conversation, the user's message not included: also when it failed. */
  readonly messages: readonly MessageLike[]
}

/** Where a turn leaves what came of it. It is told before the last parts: whoever stops reading at them has it too. */
export interface Outcome {
  readonly messages: MessageLike[]
  settle(result: ChatResult): void
}

/** Runs a turn; `left` is aborted when whoever read its parts has left. */
export type RunReply = (outcome: Outcome, left: AbortSignal) => AsyncGenerator<ChatPart, void>

/** The end of a turn that was cancelled before it began: nothing was written. */
export const neverBegun = { status: 'cancelled' as const, rounds: 0, usage: {} }

/** Whoever stops reading cancels the turn: it is told, and closes what it has begun. */
export function createReply(run: RunReply): Reply {
  let resolve: (result: ChatResult) => void
  let reject: (error: unknown) => void
  const settled = new Promise<ChatResult>((onResult, onError) => {
    resolve = onResult
    reject = onError
  })
  // Who only reads the parts has seen the error there.
  settled.catch(() => undefined)
  const left = new AbortController()
  const unread = setTimeout(reportUnread, longestUnread)
  let hasBegun = false
  let hasReader = false
  /** What was read for the result while nobody read the parts: for a reader that comes later. */
  const kept: ChatPart[] = []
  let keeping: Promise<void> | undefined

  const outcome: Outcome = {
    messages: [],
    settle(result) {
      if (result.error) reject(result.error)
      else resolve(result)
    },
  }

  async function* read(): AsyncGenerator<ChatPart, void> {
    try {
      yield* run(outcome, left.signal)
    } catch (thrown) {
      // It could not even begin: another turn is open, say, or the store is away.
      const error = toError(thrown)
      const end = { status: 'failed' as const, rounds: 0, usage: {} }
      outcome.settle({ ...end, text: '', messages: [], error })
      yield { type: 'error', error }
      yield { type: 'end', ...end }
    }
  }

  const parts = read()
  function begin(): void {
    clearTimeout(unread)
    hasBegun = true
  }
  /** A generator hears that it shall return only at its next part, and a model that is silent gives none. */
  function leave(): void {
    if (!hasBegun) outcome.settle({ ...neverBegun, text: '', messages: [] })
    begin()
    hasReader = true
    kept.length = 0
    left.abort()
  }
  /** Runs the turn as long as nobody reads its parts. */
  async function keepParts(): Promise<void> {
    while (!hasReader) {
      const { done, value } = await parts.next()
      if (done) return
      kept.push(value)
    }
  }
  const iterator: AsyncIterableIterator<ChatPart, void> = {
    [Symbol.asyncIterator]: () => iterator,
    next() {
      begin()
      hasReader = true
      if (!keeping) return parts.next()
      return keeping.then(() => {
        const value = kept.shift()
        return value ? { done: false, value } : parts.next()
      })
    },
    return() {
      leave()
      return parts.return()
    },
    throw(error) {
      leave()
      return parts.throw(error)
    },
  }
  function result(): Promise<ChatResult> {
    if (!hasBegun) keeping = keepParts()
    begin()
    return keeping ? keeping.then(() => settled) : settled
  }
  return {
    [Symbol.asyncIterator]: () => iterator,
    result,
    // biome-ignore lint/suspicious/noThenProperty: what people write first is `await chat.send(…)`
    then: (onResult, onError) => result().then(onResult, onError),
    messages: outcome.messages,
  }
}

/** So long a reply may wait for somebody to read it. The process is kept alive as long, so that it is told at all. */
const longestUnread = 5_000

function reportUnread(): void {
  const message =
    'A reply of a chat was neither awaited nor read, so nothing was asked: use "await chat.send(…)" or "for await (const part of chat.send(…))".'
  process.emitWarning(message, { code: 'THROUGHLINE_UNREAD_REPLY' })
}
