import type { Context } from '@throughline/core/context'
import { raisedTo } from '@throughline/core/counters'
import type { Calibration } from '@throughline/core/messages'
import { isUnknownWindow, toModelTokens } from '@throughline/core/tokens'
import type { ModelError } from '@throughline/models/model'
import type { Asking } from '../turn-options.ts'
import { findWindow, resultLimit } from './find-window.ts'

interface RefusedPrompt {
  readonly context: Pick<Context, 'tokens'>
  readonly calibration: Calibration
  readonly window: number
}

/**
 * The window and the calibration for a prompt that the model refused as too long: the window that it named or has by now, and a
 * factor that explains the refusal. Undefined: the window is still unknown, so there is nothing to fit the prompt to.
 */
export async function fitAgain(
  asking: Asking,
  { tokens: counted }: Pick<ModelError, 'tokens'>,
  { context, calibration, window: refused }: RefusedPrompt,
) {
  const learnt = counted?.window ?? (await findWindow(asking.model, asking))
  const window = Math.min(refused, learnt)
  if (isUnknownWindow(window)) return undefined
  const { factor } = calibration
  const readFactor =
    counted?.prompt === undefined ? factor : counted.prompt / Math.max(1, context.tokens)
  const isExplained = readFactor > factor || toModelTokens(context.tokens, factor) > window
  const isOurs = asking.mostResultTokens === resultLimit(asking.window)
  return {
    window,
    mostResultTokens: isOurs ? resultLimit(window) : asking.mostResultTokens,
    calibration: {
      ...calibration,
      factor: raisedTo(isExplained ? Math.max(factor, readFactor) : factor * 1.5),
    },
  }
}
