import type { MessageLike } from '@throughline/core/messages'
import type { ChatRequest } from './adapter.ts'

/**
 * Puts the results of calls directly behind these. What a program says between them in the role of the system stands behind the
 * last of them: calls and their results are one unit. Each message keeps its origin, so a body that fits goes on as it came.
 */
export function withWholeRounds(request: ChatRequest): ChatRequest {
  const { messages, origins, named } = request
  // Their places are those of the list as it was read.
  if (named.references?.length) return request
  const order = orderOf(messages)
  if (!order) return request
  return {
    ...request,
    messages: order.map(at => messages[at]!),
    ...(origins && { origins: order.map(at => origins[at]!) }),
  }
}

/** The places of the messages in the wanted order; undefined where they stand so already. */
function orderOf(messages: readonly MessageLike[]): readonly number[] | undefined {
  const order: number[] = []
  /** System messages since the last result of an open round. */
  let held: number[] = []
  let isOpen = false
  let isMoved = false
  const release = () => {
    for (const at of held) order.push(at)
    held = []
  }
  for (const [at, { role, tool_calls: calls }] of messages.entries()) {
    if (role === 'system' && isOpen) {
      held.push(at)
      continue
    }
    if (role === 'tool' && isOpen) isMoved ||= held.length > 0
    else {
      release()
      isOpen = role === 'assistant' && Array.isArray(calls) && calls.length > 0
    }
    order.push(at)
  }
  release()
  return isMoved ? order : undefined
}
