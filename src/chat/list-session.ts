import { fit } from '../context/fit.ts'
import { isSeen, type SeenMessage } from '../history/logged-message.ts'
import type { MessageLike } from '../log/message.ts'
import { parseMessage } from '../log/parse-message.ts'
import type { Calibration } from '../tokens/calibration.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import type { Session } from './session.ts'

/** A turn on a list that a client sent: nothing is stored, what was added is handed back. */
export function listSession(
  given: readonly MessageLike[],
  {
    count,
    added,
    calibrations,
  }: {
    readonly count: TokenCounter
    readonly added: MessageLike[]
    readonly calibrations: Map<string, Calibration>
  },
): Session {
  /** The list as the model sees it, and as it is. */
  const seen = [...given]
  const whole = [...given]
  const never = new AbortController()

  function add(items: readonly (MessageLike | SeenMessage)[]): void {
    for (const item of items) {
      const { message, view = message } = isSeen(item) ? item : { message: item }
      whole.push(message)
      added.push(message)
      seen.push(view)
    }
  }

  return {
    count,
    get next() {
      return whole.length + 1
    },
    signal: never.signal,
    request: async () => ({ conversation: whole }),
    async context({ system, at: _, ...options }) {
      const prompt = system === undefined ? [] : [{ role: 'system', content: system } as MessageLike]
      return fit([...prompt, ...seen], { ...options, count })
    },
    calibration: async model => calibrations.get(model),
    calibrate: calibration => void calibrations.set(calibration.model, calibration),
    saveCall: async () => {},
    append: async make => add(make(whole.length + 1)),
    async complete(reply, note) {
      add(reply)
      if (note) added.push({ role: 'assistant_note', content: note })
    },
    fail: async () => {},
    cancel: async arrived => add(arrived),
    interrupt: async arrived => add(arrived),
    async resultAt(place) {
      const message = whole[place - 1]
      if (!message) return undefined
      const { role, text } = parseMessage(message, place)
      return role === 'tool' ? text : undefined
    },
  }
}
