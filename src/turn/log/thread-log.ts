import type { History } from '../../history/create-history.ts'
import type { SeenMessage } from '../../history/log/logged-message.ts'
import type { Thread } from '../../history/thread.ts'
import type { Turn } from '../../history/turn/turn.ts'
import type { MessageLike } from '../../log/message.ts'
import { readMessage } from '../../log/parse-message.ts'
import type { State } from '../../state/index.ts'
import type { Calibration } from '../../tokens/calibration.ts'
import { noteMessage, type TurnLog } from './turn-log.ts'
import { readProgress } from './turn-progress.ts'

/** How many earlier calls are searched for reports of the provider. */
const mostReports = 32

export interface ThreadLogOptions {
  readonly history: History
  readonly thread: Thread
  readonly turn: Turn
  /** The messages of the turn so far, if it is resumed. */
  readonly said?: readonly SeenMessage[]
  readonly states?: readonly State<unknown>[]
  readonly projectId?: string | undefined
}

/** A turn in a thread of a history: all is stored before it is shown. */
export function threadLog(options: ThreadLogOptions): TurnLog {
  const { history, thread, turn, said = [], states = [], projectId } = options
  /** The calibration that goes into the log with the next entry. */
  let newest: Calibration | undefined
  const listeners: ((message: MessageLike) => void)[] = []
  const progress = readProgress()
  progress.take(said)

  function add(messages: readonly SeenMessage[]): void {
    progress.take(messages)
    for (const { message } of messages) for (const listener of listeners) listener(message)
  }

  return {
    turn: turn.number,
    branch: thread.key.branch,
    count: history.count,
    signal: turn.signal,
    progress,
    onAdded: listener => void listeners.push(listener),
    request: () => thread.recent({ states, ...(projectId === undefined ? {} : { projectId }) }),
    context: ({ mostResultTokens: _, ...given }) => thread.context(given),
    calibration: async model => (newest?.model === model ? newest : thread.calibration(model)),
    calibrate(calibration) {
      newest = calibration
      turn.calibrate(calibration)
    },
    startCall: (context, model) => thread.startCall(context, { model, turn: turn.number }),
    async reports(model) {
      const calls = await thread.calls({ limit: mostReports })
      return calls.flatMap(({ model: of, predicted, reported }) =>
        of === model && reported !== undefined ? [{ predicted, reported }] : [],
      )
    },
    async append(make) {
      let made: readonly SeenMessage[] = []
      await turn.appendAt(place => {
        made = make(place)
        return made
      })
      add(made)
    },
    async complete(reply, note) {
      await turn.complete(reply, { note })
      add(note === undefined ? reply : [...reply, { message: noteMessage(note) }])
    },
    fail: (code, arrived) => turn.fail(code, ...arrived).then(() => add(arrived)),
    cancel: arrived => turn.cancel(...arrived).then(() => add(arrived)),
    interrupt: arrived => turn.interrupt(...arrived).then(() => add(arrived)),
    leave: () => turn.leave(),
    hasClipped: () => thread.hasClipped(),
    async resultAt(place) {
      const [message] = place < turn.next ? await thread.messages({ at: place, limit: 1 }) : []
      if (!message) return undefined
      const { role, text } = readMessage(message, place)
      return role === 'tool' ? text : undefined
    },
  }
}
