import { type ModelPart, toEndReason, toUsage } from '../model.ts'
import { readFault } from '../read-fault.ts'
import { fieldsOf, readCalls, readText, toDelta } from '../read-text.ts'
import { type AskedServer, toStreamError } from '../to-model-error.ts'
import type { ReplyReader } from '../wire/wire.ts'

/** Reads the lines of `/api/chat`, up to the one that is `done`. */
export function ollamaReader(server: AskedServer): ReplyReader {
  let isDone = false
  let calls = 0

  return {
    read(line) {
      if ('error' in line) throw toStreamError(server, 'failed in the middle of its answer', readFault(line))
      isDone = line.done === true
      const { thinking, content, tool_calls } = fieldsOf(line.message)
      const parts: ModelPart[] = [
        ...toDelta('thinking-delta', readText(thinking, server)),
        // Log probabilities of thinking and of calls come with lines that have no content.
        ...toDelta('text-delta', readText(content, server), line.logprobs),
      ]
      for (const { id, function: called } of readCalls(tool_calls, server)) {
        const { name, arguments: input } = fieldsOf(called)
        calls += 1
        parts.push({
          type: 'tool-call',
          // Older servers give no id: one made from the place of the call is the same for the same reply.
          id: readText(id, server) || `call_${calls}`,
          name: readText(name, server),
          arguments: toJson(input),
        })
      }
      if (!isDone) return parts
      const usage = toUsage({ promptTokens: line.prompt_eval_count, replyTokens: line.eval_count })
      const reason = toEndReason(readText(line.done_reason, server) || 'stop', calls)
      return [...parts, { type: 'end', reason, usage, details: detailsOf(line) }]
    },
    state: () => (isDone ? 'over' : 'open'),
    end() {
      if (!isDone) throw toStreamError(server, 'ended its answer before it was done')
      return []
    },
  }
}

const toJson = (value: unknown): string =>
  typeof value === 'string' ? value || '{}' : (JSON.stringify(value ?? {}) ?? '{}')

const detailsOf = (line: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    detailNames
      .filter(name => ['string', 'number'].includes(typeof line[name]))
      .map(name => [name, line[name]]),
  )

const detailNames = [
  ...['model', 'remote_model', 'remote_host', 'done_reason', 'total_duration', 'load_duration'],
  ...['prompt_eval_count', 'prompt_eval_duration', 'eval_count', 'eval_duration'],
]
