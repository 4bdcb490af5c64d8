import type { Calibration } from '@throughline/core/messages'
import type { State } from '@throughline/core/state'
import { eachResting, type SeenMessage } from '@throughline/history/log'
import type { History, Thread, Turn } from '@throughline/history/threads'
import { followTurn, type TurnLog, withNote } from './turn-log.ts'

/** How many earlier calls are searched for reports of the provider. */
const mostReports = 32

/** A turn in a thread of a history: all is stored before it is shown. */
export function threadLog(options: {
  readonly history: History
  readonly thread: Thread
  readonly turn: Turn
  /** The messages of the turn so far, if it is resumed. */
  readonly turnMessages?: readonly SeenMessage[]
  readonly states?: readonly State<unknown>[]
  readonly projectId?: string | undefined
}): TurnLog {
  const { history, thread, turn, turnMessages, states = [], projectId } = options
  /** The calibration that goes into the log with the next entry. */
  let newest: Calibration | undefined
  const { progress, onAdded, add } = followTurn(turnMessages)
  const reading = readThread(history, thread)

  return {
    turn: turn.number,
    branch: thread.key.branch,
    signal: turn.signal,
    progress,
    onAdded,
    request: () => thread.recent({ states, projectId }),
    ...reading,
    // The note of an earlier round is no entry before the turn ends.
    hasNotes: async () => progress.note !== undefined || thread.hasNotes(),
    calibration: async model => (newest?.model === model ? newest : reading.calibration(model)),
    calibrate(calibration) {
      newest = calibration
      turn.calibrate(calibration)
    },
    async startCall(context, model, room, settings, shadow) {
      if (context.learned) turn.learn(context.learned)
      const started = await thread.startCall(context, {
        model,
        turn: turn.number,
        room,
        settings,
        shadow,
      })
      return { end: started.end, keep: outcome => turn.keepCall(started.with(outcome)) }
    },
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
      await eachResting(made, one => add([one]))
    },
    async complete(reply, note) {
      await turn.complete(reply, { note })
      add(withNote(reply, note))
    },
    fail: (code, arrived) => turn.fail(code, ...arrived).then(() => add(arrived)),
    cancel: arrived => turn.cancel(...arrived).then(() => add(arrived)),
    interrupt: arrived => turn.interrupt(...arrived).then(() => add(arrived)),
    leave: (arrived = []) => turn.leave(...arrived),
    async messageAt(place) {
      if (place >= turn.next) return undefined
      const { hidden } = await thread.hands()
      if (hidden.some(({ first, last }) => first <= place && place <= last)) return undefined
      const { absent, versions } = (await thread.overlay()) ?? {}
      if (absent?.has(place)) return undefined
      const version = versions?.get(place)
      return version && version !== 'words'
        ? version
        : (await thread.messages({ at: place, limit: 1 }))[0]
    },
  }
}

/** What contexts are made from, without a turn. */
export function readThread(
  { count }: Pick<History, 'count'>,
  thread: Thread,
): Pick<TurnLog, 'count' | 'context' | 'calibration' | 'hasClipped'> {
  return {
    count,
    context: ({ mostResultTokens: _, ...fitting }) => thread.context(fitting),
    calibration: model => thread.calibration(model),
    hasClipped: () => thread.hasClipped(),
  }
}
