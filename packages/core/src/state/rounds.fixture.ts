import type { MessageDialect, MessageLike } from '../log/message.ts'

export const dialects: readonly MessageDialect[] = ['ollama', 'openai', 'ai-sdk']

export const user = (content: string): MessageLike => message({ role: 'user', content })
export const assistant = (content: string): MessageLike => message({ role: 'assistant', content })
export const message = (fields: MessageLike & Record<string, unknown>): MessageLike => fields

export interface TestCall {
  readonly tool: string
  /** Anything but a text is written as JSON. Absent: the call has no result. */
  readonly result?: unknown
  readonly id?: string
}

/** An assistant message with calls, and their results in the same order (or in `order`), in a provider's shape. */
export function round(
  dialect: MessageDialect,
  calls: readonly TestCall[],
  order: readonly number[] = [...calls.keys()],
): readonly MessageLike[] {
  const named = calls.map((call, at) => ({ ...call, id: call.id ?? `call_${at}` }))
  const answered = order.map(at => named[at]!).filter(call => 'result' in call)
  switch (dialect) {
    case 'ollama':
      return [
        message({
          role: 'assistant',
          content: '',
          tool_calls: calls.map(({ tool, id }) => ({
            ...(id === undefined ? {} : { id }),
            function: { name: tool, arguments: {} },
          })),
        }),
        ...answered.map(call =>
          message({ role: 'tool', tool_name: call.tool, content: write(call.result) }),
        ),
      ]
    case 'openai':
      return [
        message({
          role: 'assistant',
          content: null,
          tool_calls: named.map(({ tool, id }) => ({
            id,
            type: 'function',
            function: { name: tool, arguments: '{}' },
          })),
        }),
        // No name: only the call knows which tool it was.
        ...answered.map(call =>
          message({ role: 'tool', tool_call_id: call.id, content: write(call.result) }),
        ),
      ]
    case 'ai-sdk':
      return [
        message({
          role: 'assistant',
          content: named.map(({ tool, id }) => ({
            type: 'tool-call',
            toolCallId: id,
            toolName: tool,
            input: {},
          })),
        }),
        message({ role: 'tool', content: answered.map(toPart) }),
      ]
  }
}

/** A round of one call, in one line. */
export const call = (
  tool: string,
  result: unknown,
  dialect: MessageDialect = 'openai',
  id = 'call_0',
) => round(dialect, [{ tool, result, id }])

export const write = (result: unknown): string =>
  typeof result === 'string' ? result : JSON.stringify(result)

function toPart({ tool, id, result }: TestCall) {
  const output =
    typeof result === 'string' ? { type: 'text', value: result } : { type: 'json', value: result }
  return { type: 'tool-result', toolCallId: id, toolName: tool, output }
}
