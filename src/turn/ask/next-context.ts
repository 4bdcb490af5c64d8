import type { Context } from '../../context/context.ts'
import type { MessageLike } from '../../log/message.ts'
import { leaveOutFiles } from '../../models/leave-out.ts'
import type { ToolSpec } from '../../models/model.ts'
import { inCounts, type Room } from '../../tokens/calibration.ts'
import type { TurnLog } from '../log/turn-log.ts'
import type { Asking } from '../turn-options.ts'

/** What a context is made from: the options of the calls, and a log that can be read. */
export interface ToFit
  extends Pick<
    Asking,
    'model' | 'window' | 'reserve' | 'mostResultTokens' | 'system' | 'specs' | 'readOn' | 'fit' | 'signal'
  > {
  /** Why no file is sent at all, whatever the model takes. */
  readonly noFiles?: string | undefined
  readonly log: Pick<TurnLog, 'hasClipped' | 'calibration' | 'context'>
}

/** What the next call sends: the context, and the tools that are offered. */
export interface NextCall extends Room {
  readonly context: Context
  readonly tools: readonly ToolSpec[]
  /** Whether the conversation holds images or other files. */
  readonly hasFiles: boolean
}

/** Makes the context for the next call. */
export async function nextContext(given: ToFit): Promise<NextCall> {
  const { log, model, window, reserve, mostResultTokens, system, specs, readOn, fit, signal, noFiles } = given
  const tools = readOn && (await log.hasClipped(mostResultTokens)) ? [...specs, readOn] : specs
  const factor = (await log.calibration(model.name))?.factor ?? 1
  const { files } = model
  let hasFiles = false
  const leaveOut = (message: MessageLike) => {
    hasFiles = true
    return leaveOutFiles(message, file => files?.refuse(file) ?? noFiles)
  }
  const options = {
    overflow: 'trim' as const,
    ...(files && { leaveOut }),
    ...fit,
    ...inCounts({ window, reserve, factor }),
    mostResultTokens,
    tools,
    system,
  }
  const context = await log.context(options)
  // What a model takes is asked for only where a conversation holds files.
  const isKnown = !hasFiles || !(await files?.learn?.(signal))
  return { context: isKnown ? context : await log.context(options), tools, window, reserve, factor, hasFiles }
}
