import type { ChatPart, ChatResult } from './chat-part.ts'

/** A turn as it runs: read its parts, or wait for its result. Nothing happens before one of both. */
export interface Reply extends AsyncIterable<ChatPart> {
  /** Runs the turn to its end if nobody reads it. Rejects when it failed; a cancelled turn is a result. */
  result(): Promise<ChatResult>
}

/** Whoever stops reading cancels the turn: the generator is told to return, and closes what it has begun. */
export function createReply(run: () => AsyncGenerator<ChatPart, ChatResult>): Reply {
  let resolve: (result: ChatResult) => void
  let reject: (error: unknown) => void
  const settled = new Promise<ChatResult>((onResult, onError) => {
    resolve = onResult
    reject = onError
  })
  // Who only reads the parts has seen the error there.
  settled.catch(() => undefined)
  let isRead = false

  async function* parts(): AsyncGenerator<ChatPart> {
    isRead = true
    const running = run()
    let isOver = false
    try {
      for (;;) {
        const { done, value } = await running.next()
        if (done) {
          isOver = true
          settle(value)
          return
        }
        yield value
      }
    } catch (error) {
      isOver = true
      reject(error)
      throw error
    } finally {
      if (!isOver) settle((await running.return(left)).value as ChatResult)
    }
  }

  function settle(result: ChatResult): void {
    if (result.error) reject(result.error)
    else resolve(result)
  }

  const iterator = parts()
  return {
    [Symbol.asyncIterator]: () => iterator,
    async result() {
      if (!isRead) for await (const _ of iterator) void _
      return settled
    },
  }
}

/** What a reader that left gets, if it asks. */
const left: ChatResult = { status: 'cancelled', rounds: 0, usage: {}, text: '', messages: [] }
