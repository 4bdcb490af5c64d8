import type { ToolCall, ToolResult } from '../log/message.ts'

/**
 * Which of the waiting calls a result answers: by id where both sides have one, else by name, else the oldest.
 * The same rule as for a context: what is sent to the model as a result is what counts as one here.
 */
export function matchResult(result: ToolResult, waiting: readonly ToolCall[]): number {
  if (result.callId !== undefined) {
    const byId = waiting.findIndex(call => call.id === result.callId)
    if (byId >= 0) return byId
    return waiting.findIndex(call => call.id === undefined && (!result.name || call.name === result.name))
  }
  if (result.name !== undefined) return waiting.findIndex(call => call.name === result.name)
  return waiting.length > 0 ? 0 : -1
}
