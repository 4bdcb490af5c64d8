import type { MessageLike } from '../log/message.ts'
import {
  createOngoing,
  type Emit,
  linkSignals,
  type Ongoing,
  type TurnPart,
  type TurnResult,
  toError,
} from '../turn/index.ts'

/** A turn as it runs. Its result rejects when the turn failed; a cancelled turn is a result. */
export interface Reply extends Ongoing<TurnPart, TurnResult> {
  /** What the turn has added to the conversation, the user's message not included: also when it failed. */
  readonly messages: readonly MessageLike[]
}

/** What answers a turn is given this. */
export interface ReplyWork {
  readonly emit: Emit
  readonly settle: (result: TurnResult) => void
  /** Aborted when the user cancels, or when whoever read the parts has left. */
  readonly signal: AbortSignal
  /** Gets what is added to the conversation. */
  readonly added: MessageLike[]
}

/** Whoever stops reading cancels the turn: it is told, and closes what it has begun. */
export function createReply(
  signal: AbortSignal | undefined,
  work: (given: ReplyWork) => Promise<void>,
): Reply {
  const added: MessageLike[] = []
  const ongoing = createOngoing<TurnPart, TurnResult>({
    async run({ emit, settle: resolve, reject, left }) {
      const settle = (result: TurnResult) => (result.error ? reject(result.error) : resolve(result))
      const cancel = linkSignals(signal, left)
      try {
        if (!cancel.signal.aborted) return await work({ emit, settle, signal: cancel.signal, added })
        settle(nothingDone('cancelled'))
        await emit({ type: 'end', status: 'cancelled', ...nothingAsked })
      } catch (thrown) {
        // It could not even begin: another turn is open, say, or the store is away.
        const error = toError(thrown)
        settle({ ...nothingDone('failed'), error })
        await emit({ type: 'error', error })
        await emit({ type: 'end', status: 'failed', ...nothingAsked })
      } finally {
        cancel.unlink()
      }
    },
    leave: ({ settle }) => settle(nothingDone('cancelled')),
    unread:
      'A reply of a chat was neither awaited nor read, so nothing was asked: use "await chat.send(…)" or "for await (const part of chat.send(…))".',
  })
  return { ...ongoing, messages: added }
}

const nothingAsked = { rounds: 0, usage: {} }

const nothingDone = (status: 'cancelled' | 'failed'): TurnResult => ({
  status,
  ...nothingAsked,
  text: '',
  messages: [],
})
