import type { Message, ToolCall, ToolResult } from './message.ts'

/** A tool call of a turn, with its result when there is one. */
export interface Action {
  readonly call: ToolCall
  result?: string
}

/**
 * The calls in order, each with its result: by id, else by name and order. Only within a round: some servers count
 * from `call_0` in every one. A result that answers no call of its round is left out.
 */
export function readActions(messages: readonly Message[]): readonly Action[] {
  const actions: Action[] = []
  /** Where a result may look, and the calls that wait there, the first one last: it is popped. */
  let round = new Map<string, Action[]>()
  for (const { calls, results } of messages) {
    if (calls.length > 0) round = new Map()
    const made = calls.map(call => ({ call }))
    for (const action of made) actions.push(action)
    for (const action of made.reverse()) {
      for (const place of placesOf(action.call)) {
        const waiting = round.get(place) ?? []
        waiting.push(action)
        round.set(place, waiting)
      }
    }
    for (const result of results) {
      const [place, other] = searchOf(result)
      const action = take(round.get(place)) ?? take(round.get(other))
      if (action !== undefined) action.result = result.text
    }
  }
  return actions
}

function placesOf({ id, name }: ToolCall): readonly string[] {
  const places = ['any', `name ${name}`]
  return id === undefined ? [...places, 'bare', `bare ${name}`] : [...places, `id ${id}`]
}

/** Two ids that differ are two calls, whatever their names: an unknown id looks only among calls without one. */
function searchOf({ callId, name }: ToolResult): readonly [place: string, other: string] {
  if (callId === undefined) return [name === undefined ? 'any' : `name ${name}`, '']
  return [`id ${callId}`, name === undefined ? 'bare' : `bare ${name}`]
}

/** The first that waits. One that was found in another place waits no more. */
function take(waiting: Action[] = []): Action | undefined {
  let action = waiting.pop()
  while (action?.result !== undefined) action = waiting.pop()
  return action
}
