import type { History } from '../history/create-history.ts'
import type { Thread } from '../history/thread.ts'
import type { Turn } from '../history/turn.ts'
import { parseMessage } from '../log/parse-message.ts'
import type { State, StateReading } from '../state/index.ts'
import type { Session } from './session.ts'

/** Of a longer conversation only the newest part is given to tools, with what the declared states were before it. */
const mostMessages = 4096

export interface ThreadSessionOptions {
  readonly history: History
  readonly thread: Thread
  readonly turn: Turn
  readonly states: readonly State<unknown>[]
  readonly projectId: string | undefined
}

/** A turn in a thread of the log: everything is on disk before anybody is told. */
export function threadSession(options: ThreadSessionOptions): Session {
  const { history, thread, turn, states, projectId } = options
  return {
    turn: turn.number,
    count: history.count,
    get next() {
      return turn.next
    },
    signal: turn.signal,
    async request() {
      const conversation = await thread.messages({ limit: mostMessages })
      if (conversation.length < mostMessages) return { conversation }
      const at = turn.next - 1 - conversation.length
      const project = projectId === undefined ? {} : { projectId }
      const older = new Map<State<unknown>, StateReading<unknown>>()
      for (const state of states) older.set(state, await thread.state(state, { at, ...project }))
      return { conversation, older }
    },
    context: given => thread.context(given),
    calibration: model => thread.calibration(model),
    calibrate: calibration => turn.calibrate(calibration),
    async saveCall(context, call) {
      await thread.saveCall(context, { ...call, turn: turn.number })
    },
    append: make => turn.appendAt(make),
    complete: (reply, note) => turn.complete(reply, { note }),
    fail: code => turn.fail(code),
    cancel: arrived => turn.cancel(...arrived),
    interrupt: arrived => turn.interrupt(...arrived),
    async resultAt(place) {
      const [message] = await thread.messages({ at: place, limit: 1 })
      if (!message) return undefined
      const { role, text } = parseMessage(message, place)
      return role === 'tool' ? text : undefined
    },
  }
}
