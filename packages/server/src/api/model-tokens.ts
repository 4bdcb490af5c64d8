import type { Receipt, ReceiptCut } from '@throughline/core/explain'
import { isUnknownWindow, partsInModel, type Room, toModelTokens } from '@throughline/core/tokens'
import { z } from 'zod'
import { count } from './schemas.ts'

/** Whose tokens an answer speaks of. */
export const factorField = z
  .number()
  .optional()
  .describe('the calibration: tokens of this answer are our counts times this; absent for 1')

export const toldFactor = ({ factor }: Room) => (factor === 1 ? {} : { factor })

export const windowField = count
  .optional()
  .describe('absent while the window is unknown: then nothing is cut')

/** What a window is filled with, in our counts. */
interface WindowCounts<Part extends string> extends Pick<Receipt, 'tokens' | 'margin' | 'over'> {
  readonly parts: Readonly<Record<Part, number>>
}

/**
 * What a window is filled with in the model's tokens, which are those of the window that was set. Each figure is rounded by
 * itself; the largest part takes what rounding leaves, so that the parts are the total, and all of it is the window.
 */
export function toFigures<Part extends string>(
  { tokens: counted, margin: kept, over: past, parts: used }: WindowCounts<Part>,
  room: Room,
) {
  const { window, reserve, factor } = room
  const tokens = toModelTokens(counted, factor)
  const parts = partsInModel(used, tokens, factor)
  // What is free of a window that is not known cannot be told.
  if (isUnknownWindow(window))
    return {
      window: undefined,
      reserve,
      margin: 0,
      tokens,
      parts,
      free: 0,
      over: 0,
      ...toldFactor(room),
    }
  const left = window - reserve - tokens
  // Rounding must not change whether the prompt fits.
  const margin =
    past > 0
      ? Math.max(toModelTokens(kept, factor), left + 1)
      : Math.max(0, Math.min(toModelTokens(kept, factor), left))
  return {
    window,
    reserve,
    margin,
    tokens,
    parts,
    free: Math.max(0, left - margin),
    over: Math.max(0, margin - left),
    ...toldFactor(room),
  }
}

/** The amounts of a cut; its places stay. */
export function toCutFigures(cut: ReceiptCut, factor: number): ReceiptCut {
  const { needed, limit, growth, recall } = cut
  const inModel = (amount: number) => toModelTokens(amount, factor)
  const amounts = { needed: inModel(needed), limit: inModel(limit), growth: inModel(growth) }
  return { ...cut, ...amounts, recall: inModel(recall) }
}
