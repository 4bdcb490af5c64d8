import type { ToolCall, ToolResult } from './message.ts'

/** The calls of one assistant message, and which of them still wait for a result. */
export type Round = ReturnType<typeof openRound>

/**
 * Matches results to the calls of one round: by id where both sides have one, else by name, else the first waiting call.
 * Calls of other rounds are not considered, as some servers count from `call_0` in every round. `results` are results
 * inside the calling message itself (tools that a provider runs, in the AI SDK). Linear, in whatever order results come.
 */
export function openRound(calls: readonly ToolCall[], results: readonly ToolResult[] = []) {
  const answered: boolean[] = []
  /** Key (id or name) → places of the waiting calls, reversed: the first call is popped. */
  const waiting = new Map<string, number[]>()
  for (let at = calls.length - 1; at >= 0; at--) {
    const { id, name } = calls[at]!
    const queues = id === undefined ? ['bare', `bare ${name}`] : [`id ${id}`]
    for (const where of ['any', `name ${name}`, ...queues]) {
      const queue = waiting.get(where)
      if (queue) queue.push(at)
      else waiting.set(where, [at])
    }
  }

  /** The first call under this key that still waits. */
  function first(where: string): number {
    const queue = waiting.get(where)
    let at = queue?.pop()
    while (at !== undefined && answered[at]) at = queue?.pop()
    return at ?? -1
  }

  function find({ callId, name }: ToolResult): number {
    if (callId === undefined) return first(name === undefined ? 'any' : `name ${name}`)
    const at = first(`id ${callId}`)
    // Different ids are different calls, even with equal names: an unknown id matches only calls without an id.
    return at < 0 ? first(name ? `bare ${name}` : 'bare') : at
  }

  /** Returns the place of the call that this result answers, and marks it answered; -1 where it answers none. */
  function take(result: ToolResult): number {
    const at = find(result)
    if (at >= 0) answered[at] = true
    return at
  }

  for (const result of results) take(result)
  return { take, unanswered: () => calls.filter((_, at) => !answered[at]) }
}

/** What contexts take in place of an answer that broke off: a result that answers no call, which is never sent. */
export const brokenOff = {
  role: 'tool',
  tool_call_id: 'throughline:broken-off',
  content: '',
} as const

/** Says in the receipt why a result answers no call. */
export function describeStray({ callId, name }: Omit<ToolResult, 'text'>): string {
  // What was never a result may say itself why it is not sent.
  if (callId === brokenOff.tool_call_id) return name ?? 'broke off, and was tried again'
  const of = callId ?? name
  return of === undefined ? 'answers no tool call' : `answers no open call of "${of}"`
}
