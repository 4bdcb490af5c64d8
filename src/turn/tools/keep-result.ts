import { markResult } from '../../log/errors-in.ts'
import type { MessageLike } from '../../log/message.ts'
import { TooLargeError } from '../../stores/store-error.ts'
import { clippedView } from '../log/clip-result.ts'
import type { TurnLog } from '../log/turn-log.ts'
import type { ReplyCall } from '../model-reply.ts'
import type { ToolOutcome } from './run-tool.ts'

export interface ResultToKeep extends ToolOutcome {
  /** Stored in the same entry. */
  readonly data?: object
}

export interface KeptResult extends ToolOutcome {
  /** Whether the model sees only the beginning of the result. */
  readonly isClipped: boolean
  /** Whether the result was too large for the store and became an error. */
  readonly isRefused: boolean
}

/** Logs the result of a call. A result that is too large for the store becomes an error. */
export async function keepResult(
  log: TurnLog,
  call: ReplyCall,
  result: ResultToKeep,
  /** Of a result with more tokens the model sees only the beginning. Default: no limit. */
  mostTokens?: number,
): Promise<KeptResult> {
  try {
    return await keep(log, call, result, mostTokens)
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error
    const refused = { text: `Error: ${error.message}`, isError: true }
    return { ...(await keep(log, call, refused, mostTokens)), isRefused: true }
  }
}

async function keep(
  log: TurnLog,
  { id, name }: ReplyCall,
  { text, isError, data }: ResultToKeep,
  mostTokens: number | undefined,
): Promise<KeptResult> {
  const message: MessageLike = { role: 'tool', tool_call_id: id, name, content: text }
  const kept = { message: markResult(message, isError), isError, ...(data && { data }) }
  let isClipped = false
  await log.append(place => {
    const content =
      mostTokens === undefined ? undefined : clippedView(text, { place, mostTokens, count: log.count })
    isClipped = content !== undefined
    return [isClipped ? { ...kept, view: { ...message, content } } : kept]
  })
  return { text, isError, isClipped, isRefused: false }
}
