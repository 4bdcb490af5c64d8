import type { MessageLike } from '../log/message.ts'
import type { ChatPart, ChatResult } from './chat-part.ts'
import { toError } from './end-failed.ts'

/** A turn as it runs: read its parts, or wait for its result. Nothing happens before one of both. */
export interface Reply extends AsyncIterable<ChatPart> {
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

/** Whoever stops reading cancels the turn: the generator is told to return, and closes what it has begun. */
export function createReply(run: (outcome: Outcome) => AsyncGenerator<ChatPart, void>): Reply {
  let resolve: (result: ChatResult) => void
  let reject: (error: unknown) => void
  const settled = new Promise<ChatResult>((onResult, onError) => {
    resolve = onResult
    reject = onError
  })
  // Who only reads the parts has seen the error there.
  settled.catch(() => undefined)
  let isRead = false

  const outcome: Outcome = {
    messages: [],
    settle(result) {
      if (result.error) reject(result.error)
      else resolve(result)
    },
  }

  async function* parts(): AsyncGenerator<ChatPart, void> {
    isRead = true
    try {
      yield* run(outcome)
    } catch (thrown) {
      // It could not even begin: another turn is open, say, or the store is away.
      const error = toError(thrown)
      const end = { status: 'failed' as const, rounds: 0, usage: {} }
      outcome.settle({ ...end, text: '', messages: [], error })
      yield { type: 'error', error }
      yield { type: 'end', ...end }
    }
  }

  const iterator = parts()
  return {
    [Symbol.asyncIterator]: () => iterator,
    async result() {
      if (!isRead) for await (const _ of iterator) void _
      return settled
    },
    messages: outcome.messages,
  }
}
