import { InvalidOptionError, refuseUnknown, showValue } from '../../log/error.ts'
import { isCount } from '../../log/values.ts'
import { isOrdinary } from '../conversation/unit.ts'
import type { Policy } from '../draft/draft.ts'

interface SlidingOptions {
  /**
   * How many of the last messages are kept. What is protected is sent besides: the first user message, the latest one and the
   * last round. Default 50.
   */
  readonly messages?: number
}

/** Keeps the last `messages` messages, in whole units, and what is protected. */
export function sliding(options: SlidingOptions = {}): Policy {
  refuseUnknown(options, { messages: 1 })
  const { messages = 50 } = options
  if (!isCount(messages))
    throw new InvalidOptionError(
      'messages',
      `expected how many messages to keep, got ${showValue(messages)}`,
    )
  const why = `older than the last ${messages} messages`
  return {
    name: 'sliding',
    apply(draft) {
      let room = messages
      let cut = draft.units.length
      while (cut > 0) {
        const unit = draft.units[cut - 1]!
        const size = isOrdinary(unit) ? unit.to - unit.from : 0
        if (size > room) break
        room -= size
        cut -= 1
      }
      return draft.dropRange(0, cut, why)
    },
  }
}
