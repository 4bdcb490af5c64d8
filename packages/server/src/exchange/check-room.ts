import {
  type FitRequest,
  nextContext,
  nextRoom,
  setUpAsking,
  toError,
  withLimit,
} from '@throughline/chat/turn'
import { fit } from '@throughline/core/context'
import type { TokenCounter } from '@throughline/core/counters'
import type { Calibration, MessageLike } from '@throughline/core/messages'
import type { ChatRequest } from '@throughline/models/dialects'
import { type Model, ModelError } from '@throughline/models/model'
import type { AnswerOptions } from './answer.ts'
import type { Inquiry, LogPlace } from './inquiry.ts'

interface RoomCheck extends Pick<ChatRequest, 'settings' | 'tools' | 'messages' | 'system'> {
  readonly options: AnswerOptions
  readonly model: Model
  readonly count: TokenCounter
  readonly signal: AbortSignal
  readonly calibration: () => Promise<Calibration | undefined>
}

/** Throws ContextOverflowError, before storing, if what is always sent cannot fit. The rest is seen when the log is fitted. */
export async function checkRoom(check: RoomCheck): Promise<void> {
  const { options, model, system, settings, tools, messages, count, signal, calibration } = check
  const setUp = setUpAsking({ ...options, model, settings, system }, { signal, specs: tools })
  const limit = { signal, ms: longestWait, late: () => toError('the window is not known yet') }
  const asking = await withLimit(setUp, limit).catch((error: unknown) => {
    // A misspelt name is no conversation.
    if (error instanceof ModelError && error.code === 'model_not_found') throw error
    return undefined
  })
  // Whether the model server answers is found out when the turn is asked: its message is stored first.
  if (!asking) return
  const fitting: FitRequest = {
    ...asking,
    log: {
      count,
      calibration,
      hasClipped: async () => false,
      async context({ system: prompt, at: _, mostResultTokens: __, ...fitting }) {
        const head: readonly MessageLike[] =
          prompt === undefined ? [] : [{ role: 'system', content: prompt }]
        return fit([...head, ...messages], { ...fitting, count })
      },
    },
  }
  const { head, room } = await nextRoom(fitting)
  const { window, reserve, factor } = room
  // No byte takes more than a token. Most requests are far from the limit, and need no closer look.
  const most = head + Buffer.byteLength(JSON.stringify(messages)) * factor
  if (options.reserve === undefined && most < (window - reserve) * 0.9) return
  await nextContext(fitting)
}

export function checkPlace(
  { log: { history }, request, signal }: Inquiry,
  place: LogPlace,
  to: Pick<RoomCheck, 'options' | 'model'>,
) {
  const brought = place.messages.slice(place.from).map(({ source }) => source)
  const users = brought.filter(({ role }) => role === 'user')
  const first = place.kind === 'new' ? users.slice(0, 1) : []
  // Of the system messages of a program the last is always sent.
  const system = brought.findLast(({ role }) => role === 'system')
  const sent = new Set([...first, system, users.at(-1)])
  const thread = place.fork?.of ?? place.thread
  return checkRoom({
    ...request,
    ...to,
    signal,
    count: history.count,
    messages: brought.filter(message => sent.has(message)),
    calibration: async () =>
      place.kind === 'new'
        ? undefined
        : history.thread(thread.conversation, thread).calibration(to.model.name),
  })
}

/** A message is stored soon, also if its model server is slow to tell its window. */
const longestWait = 2000
