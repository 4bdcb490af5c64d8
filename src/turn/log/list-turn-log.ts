import { type Context, fit } from '../../context/fit.ts'
import type { CallOutcome } from '../../history/calls/calls.ts'
import { type CancelledTurn, closingFor, type Ending } from '../../history/log/closing.ts'
import { isSeen, type SeenMessage, viewOf } from '../../history/log/logged-message.ts'
import type { MessageLike } from '../../log/message.ts'
import { present } from '../../log/present.ts'
import type { Calibration } from '../../tokens/calibration.ts'
import type { TokenCounter } from '../../tokens/create-counter.ts'
import { clippedView } from './clip-result.ts'
import { followTurn, type Report, type TurnLog, withNote } from './turn-log.ts'

/** What a chat without a history remembers of models. */
export interface ModelMemory {
  readonly calibrations: Map<string, Calibration>
  readonly reports: Map<string, readonly Report[]>
  /** The context that was sent last: servers may have it in their cache. */
  last?: Context
}

/** A turn on a list of messages that a client sent. Nothing is stored: the client must keep the added messages. */
export function listTurnLog(
  clientMessages: readonly MessageLike[],
  count: TokenCounter,
  memory: ModelMemory,
  cancelledTurn?: CancelledTurn,
): TurnLog {
  const { calibrations, reports } = memory
  const whole = [...clientMessages]
  /** The messages of which the model sees another form. */
  const views = new Map<MessageLike, MessageLike>()
  const begin = clientMessages.findLastIndex(({ role }) => role === 'user')
  const turn = followTurn()

  function add(items: readonly SeenMessage[]): void {
    for (const { message, view } of items) {
      if (view) views.set(message, view)
      whole.push(message)
    }
    turn.add(items)
  }

  async function close(ending: Ending, some: readonly SeenMessage[]): Promise<void> {
    const turnMessages = whole.slice(Math.max(0, begin))
    const messages = some.map(({ message }) => message)
    const { results, arrived, last } = closingFor(turnMessages, messages, ending)
    add([...results, ...arrived, ...last].map(one => ({ message: isSeen(one) ? viewOf(one) : one })))
  }

  /** Clips a result the same way each time, whatever the calibration: else the prompt would change from its beginning. */
  function seen(message: MessageLike, at: number, mostTokens: number): MessageLike {
    const cached = views.get(message)
    if (cached || message.role !== 'tool' || typeof message.content !== 'string') return cached ?? message
    const content = clippedView(message.content, { place: at + 1, mostTokens, count })
    const view = content === undefined ? message : { ...message, content }
    views.set(message, view)
    return view
  }

  return {
    count,
    signal: new AbortController().signal,
    progress: turn.progress,
    onAdded: turn.onAdded,
    request: async () => ({ conversation: whole }),
    async context({ system, at: _, mostResultTokens, ...fitting }) {
      const prompt = system === undefined ? [] : [{ role: 'system', content: system } as MessageLike]
      const shown = whole.map((message, at) => seen(message, at, mostResultTokens))
      const { last: previous } = memory
      const layout = present({ previous, promptLayout: previous?.promptLayout })
      memory.last = fit([...prompt, ...shown], { ...layout, ...fitting, count })
      return memory.last
    },
    calibration: async model => calibrations.get(model),
    calibrate: calibration => void calibrations.set(calibration.model, calibration),
    async startCall({ tokens }, model) {
      function keep({ reported }: CallOutcome): void {
        if (reported === undefined) return
        const earlier = reports.get(model) ?? []
        reports.set(model, [{ predicted: tokens, reported }, ...earlier].slice(0, 32))
      }
      return { keep, end: async outcome => keep(outcome) }
    },
    reports: async model => reports.get(model) ?? [],
    append: async make => add(make(whole.length + 1)),
    complete: async (reply, note) => add(withNote(reply, note)),
    fail: (code, arrived) => close({ status: 'failed', code }, arrived),
    cancel: arrived => close({ status: 'cancelled', cancelledTurn }, arrived),
    interrupt: arrived => close({ status: 'interrupted' }, arrived),
    leave: async () => {},
    hasNotes: async () => whole.some(({ role }) => role === 'assistant_note'),
    hasClipped: async mostTokens =>
      whole.some((message, at) => message.role === 'tool' && seen(message, at, mostTokens) !== message),
    messageAt: async place => whole[place - 1],
  }
}
