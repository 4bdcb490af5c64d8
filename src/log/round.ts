import type { ToolCall, ToolResult } from './message.ts'

/** The calls of one message, each of which waits for the result that answers it. */
export interface Round {
  /** The place of the call that a result answers, which waits no more; -1 where it answers none. */
  take(result: ToolResult): number
  /** The calls that no result has answered, in their order. */
  unanswered(): readonly ToolCall[]
}

/**
 * Which call a result answers: by id where both sides have one, else by name, else the first that waits. Only the calls
 * of its own round are asked: some servers count from `call_0` in every one. `results` are those in the very message that
 * calls, where the AI SDK puts what a provider's own tool gave. The work is linear, whatever order the results come in.
 */
export function openRound(calls: readonly ToolCall[], results: readonly ToolResult[] = []): Round {
  const answered: boolean[] = []
  /** Where a result may look, and the places of the calls that wait there, the first one last: it is popped. */
  const waiting = new Map<string, number[]>()
  for (let at = calls.length - 1; at >= 0; at--) {
    const { id, name } = calls[at]!
    const own = id === undefined ? ['bare', `bare ${name}`] : [`id ${id}`]
    for (const where of ['any', `name ${name}`, ...own]) {
      const queue = waiting.get(where)
      if (queue) queue.push(at)
      else waiting.set(where, [at])
    }
  }

  /** The first that waits. One that was found elsewhere waits no more. */
  function first(where: string): number {
    const queue = waiting.get(where)
    let at = queue?.pop()
    while (at !== undefined && answered[at]) at = queue?.pop()
    return at ?? -1
  }

  function find({ callId, name }: ToolResult): number {
    if (callId === undefined) return first(name === undefined ? 'any' : `name ${name}`)
    const at = first(`id ${callId}`)
    // Two ids that differ are two calls, whatever their names: an unknown id looks only among calls without one.
    return at < 0 ? first(name ? `bare ${name}` : 'bare') : at
  }

  function take(result: ToolResult): number {
    const at = find(result)
    if (at >= 0) answered[at] = true
    return at
  }

  for (const result of results) take(result)
  return { take, unanswered: () => calls.filter((_, at) => !answered[at]) }
}

/** What is wrong with a result that answers nothing, in words for the receipt. */
export function describeStray({ callId, name }: ToolResult): string {
  const of = callId ?? name
  return of === undefined ? 'answers no tool call' : `answers no open call of "${of}"`
}
