import type { Context } from '../context/context.ts'
import { fit } from '../context/fit.ts'
import { wholeOf } from '../history/log/logged-message.ts'
import { type CancelledTurn, closingFor, type Ending } from '../history/turn/closing.ts'
import type { MessageLike } from '../log/message.ts'
import { readMessage } from '../log/parse-message.ts'
import { withTail } from '../log/write-message.ts'
import type { Calibration } from '../tokens/calibration.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import { clippedView } from './clip-result.ts'
import type { Report, Session, TurnMessage } from './session.ts'

/** What a chat knows of its models, where no log has it. */
export interface ModelMemory {
  readonly calibrations: Map<string, Calibration>
  readonly reports: Map<string, readonly Report[]>
  /** What was sent last: servers may have it in their cache. */
  last?: Context
}

export interface ListSessionOptions {
  readonly count: TokenCounter
  readonly memory: ModelMemory
  /** Gets what was added: only the client keeps it, so the texts that close a turn are among it. */
  readonly added: MessageLike[]
  readonly cancelledTurn: CancelledTurn | undefined
  /** A result of the client's list that has more tokens is shown by its beginning. Known once the turn is set up. */
  readonly mostResultTokens: () => number | undefined
}

/** A turn on a list that a client sent: nothing is stored, what was added is handed back. */
export function listSession(given: readonly MessageLike[], options: ListSessionOptions): Session {
  const { count, memory, added, cancelledTurn, mostResultTokens } = options
  const { calibrations, reports } = memory
  const whole = [...given]
  /** Those of which the model sees something else. */
  const views = new Map<MessageLike, MessageLike>()
  const never = new AbortController()
  const begin = given.findLastIndex(({ role }) => role === 'user')

  function add(items: readonly TurnMessage[]): void {
    for (const item of items) {
      const message = wholeOf(item)
      if ('view' in item) views.set(message, item.view as MessageLike)
      whole.push(message)
      added.push(message)
    }
  }

  async function close(ending: Ending, some: readonly TurnMessage[]) {
    const said = whole.slice(Math.max(0, begin))
    const arrived = some.map(wholeOf)
    const closing = closingFor({ said, arrived, toMessage: one => one, join: withTail }, ending)
    add([...closing.results, ...closing.arrived, ...closing.last])
  }

  /**
   * A client sends results whole: they are clipped again, in the same way. A calibration changes nothing of it, or each
   * would change the prompt from its beginning.
   */
  function seen(message: MessageLike, at: number, mostTokens: number): MessageLike {
    const known = views.get(message)
    if (known || message.role !== 'tool' || typeof message.content !== 'string') return known ?? message
    const content = clippedView(message.content, { place: at + 1, mostTokens, count })
    const view = content === undefined ? message : { ...message, content }
    views.set(message, view)
    return view
  }

  return {
    count,
    signal: never.signal,
    request: async () => ({ conversation: whole }),
    async context({ system, at: _, ...fitting }) {
      const prompt = system === undefined ? [] : [{ role: 'system', content: system } as MessageLike]
      const mostTokens = mostResultTokens() ?? Math.floor(fitting.window / 4)
      const shown = whole.map((message, at) => seen(message, at, mostTokens))
      const previous = memory.last && { previous: memory.last }
      memory.last = fit([...prompt, ...shown], { ...fitting, count, ...previous })
      return memory.last
    },
    calibration: async model => calibrations.get(model),
    calibrate: calibration => void calibrations.set(calibration.model, calibration),
    async saveCall({ tokens }, { model, reported }) {
      if (reported === undefined) return
      const known = reports.get(model) ?? []
      reports.set(model, [{ predicted: tokens, reported }, ...known].slice(0, 32))
    },
    reports: async model => reports.get(model) ?? [],
    append: async make => add(make(whole.length + 1)),
    async complete(reply, note) {
      add(note === undefined ? reply : [...reply, { role: 'assistant_note', content: note }])
    },
    fail: (code, arrived) => close({ status: 'failed', code }, arrived),
    cancel: arrived => close({ status: 'cancelled', cancelledTurn }, arrived),
    interrupt: arrived => close({ status: 'interrupted' }, arrived),
    async resultAt(place) {
      const message = whole[place - 1]
      if (!message) return undefined
      const { role, text } = readMessage(message, place)
      return role === 'tool' ? text : undefined
    },
  }
}
