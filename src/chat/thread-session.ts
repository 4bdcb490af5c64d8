import type { History } from '../history/create-history.ts'
import { wholeOf } from '../history/log/logged-message.ts'
import type { Thread } from '../history/thread.ts'
import type { Turn } from '../history/turn/turn.ts'
import type { MessageLike } from '../log/message.ts'
import { readMessage } from '../log/parse-message.ts'
import type { State } from '../state/index.ts'
import type { Calibration } from '../tokens/calibration.ts'
import type { Session, TurnMessage } from './session.ts'

/** So many calls back it is looked for what a provider usually reports. */
const mostReports = 32

export interface ThreadSessionOptions {
  readonly history: History
  readonly thread: Thread
  readonly turn: Turn
  readonly states: readonly State<unknown>[]
  readonly projectId: string | undefined
  /** Gets what was added to the conversation. */
  readonly added: MessageLike[]
}

/** A turn in a thread of the log: everything is on disk before anybody is told. */
export function threadSession(options: ThreadSessionOptions): Session {
  const { history, thread, turn, states, projectId, added } = options
  /** Not yet in the log: it goes there with the next entry. */
  let newest: Calibration | undefined
  const add = (messages: readonly TurnMessage[]) => void added.push(...messages.map(wholeOf))

  return {
    turn: turn.number,
    count: history.count,
    signal: turn.signal,
    request: () => thread.recent({ states, ...(projectId === undefined ? {} : { projectId }) }),
    context: given => thread.context(given),
    calibration: async model => (newest?.model === model ? newest : thread.calibration(model)),
    calibrate(calibration) {
      newest = calibration
      turn.calibrate(calibration)
    },
    async saveCall(context, call) {
      await thread.saveCall(context, { ...call, turn: turn.number })
    },
    async reports(model) {
      const calls = await thread.calls({ limit: mostReports })
      return calls.flatMap(({ model: of, predicted, reported }) =>
        of === model && reported !== undefined ? [{ predicted, reported }] : [],
      )
    },
    async append(make) {
      let made: readonly TurnMessage[] = []
      await turn.appendAt(place => {
        made = make(place)
        return made
      })
      add(made)
    },
    async complete(reply, note) {
      await turn.complete(reply, { note })
      add(note === undefined ? reply : [...reply, { role: 'assistant_note', content: note }])
    },
    fail: (code, arrived) => turn.fail(code, ...arrived).then(() => add(arrived)),
    cancel: arrived => turn.cancel(...arrived).then(() => add(arrived)),
    interrupt: arrived => turn.interrupt(...arrived).then(() => add(arrived)),
    async resultAt(place) {
      const [message] = place < turn.next ? await thread.messages({ at: place, limit: 1 }) : []
      if (!message) return undefined
      const { role, text } = readMessage(message, place)
      return role === 'tool' ? text : undefined
    },
  }
}
