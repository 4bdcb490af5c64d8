import { type ModelPart, toEndReason, toUsage } from '../model.ts'
import { readFault } from '../read-fault.ts'
import { readText, toDelta } from '../read-text.ts'
import { type AskedServer, toStreamError } from '../to-model-error.ts'
import type { ReplyReader } from '../wire/wire.ts'

interface Line {
  readonly message?: {
    readonly content?: unknown
    readonly thinking?: unknown
    readonly tool_calls?: readonly {
      readonly id?: unknown
      readonly function?: { readonly name?: unknown; readonly arguments?: unknown }
    }[]
  }
  readonly logprobs?: unknown
  readonly done?: unknown
  readonly done_reason?: unknown
  readonly prompt_eval_count?: unknown
  readonly eval_count?: unknown
}

/** Reads the lines of `/api/chat`, up to the one that is `done`. */
export function ollamaReader(server: AskedServer): ReplyReader {
  let isDone = false
  let calls = 0

  function partsOf({ message, logprobs, ...line }: Line): readonly ModelPart[] {
    const parts: ModelPart[] = [
      ...toDelta('thinking-delta', readText(message?.thinking, server)),
      // Log probabilities of thinking and of calls come with lines that have no content.
      ...toDelta('text-delta', readText(message?.content, server), logprobs),
    ]
    for (const call of message?.tool_calls ?? []) {
      calls += 1
      parts.push({
        type: 'tool-call',
        // Older servers give no id: one made from the place of the call is the same for the same reply.
        id: readText(call.id, server) || `call_${calls}`,
        name: readText(call.function?.name, server),
        arguments: toJson(call.function?.arguments),
      })
    }
    if (isDone) {
      const usage = toUsage({ promptTokens: line.prompt_eval_count, replyTokens: line.eval_count })
      const reason = toEndReason(readText(line.done_reason, server) || 'stop', calls)
      parts.push({ type: 'end', reason, usage, details: detailsOf(line) })
    }
    return parts
  }

  return {
    read(line) {
      if ('error' in line) throw toStreamError(server, 'failed in the middle of its answer', readFault(line))
      isDone = line.done === true
      return partsOf(line)
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
