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
  /** The messages that the turn has added to the conversation so far, without the user's. Also if it failed. */
  readonly messages: readonly MessageLike[]
}

/** What the function that answers a turn gets. */
export interface ReplyWork {
  readonly emit: Emit
  readonly settle: (result: TurnResult) => void
  /** Aborted when the user cancels, or the reader of the parts has left. */
  readonly signal: AbortSignal
  /** The work pushes the messages here that it adds to the conversation. */
  readonly added: MessageLike[]
}

/** Makes a reply. A reader who stops cancels the turn, which is then closed. */
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
        // The turn could not begin: another turn is open, say, or the store does not answer.
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
