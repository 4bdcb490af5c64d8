import { listCalls } from './read-tools.ts'
import { withoutCalls } from './write-message.ts'

/** A copy without the calls at these places. Calls beside the content count first, as they are read. */
export function withoutCallsAt<M extends object>(source: M, places: readonly number[]): M {
  const gone = new Set(places)
  let at = 0
  const stays = () => !gone.has(at++)
  const { content, tool_calls: calls, function_call: single } = source as Record<string, unknown>
  const left = listCalls(source as Record<string, unknown>).filter(stays)
  const isList = Array.isArray(calls) && calls.length > 0
  return {
    ...withoutCalls(source),
    ...(Array.isArray(content) && {
      content: content.filter(part => part?.type !== 'tool-call' || stays()),
    }),
    ...(left.length > 0 && (isList ? { tool_calls: left } : { function_call: single })),
  }
}
