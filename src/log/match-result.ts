import type { ToolCall, ToolResult } from './message.ts'

/**
 * Which of the waiting calls a result answers: by id where both sides have one, else by name, else the oldest.
 * Only the calls of the current round are asked: providers reuse ids from round to round.
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

/** What is wrong with a result that answers nothing, in words for the receipt. */
export function describeStray(result: ToolResult): string {
  const of = result.callId ?? result.name
  return of === undefined ? 'answers no tool call' : `answers no open call of "${of}"`
}
