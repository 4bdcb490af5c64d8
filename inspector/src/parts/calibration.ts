import type { Brief } from './log-scale.ts'

/** All tokens of the page are the model's: our counts times the calibration that the server tells. Without a calibration the factor is 1. */
export function inModelTokens<Entry extends Brief>(entries: readonly Entry[], factor = 1): readonly Entry[] {
  if (factor === 1) return entries
  return entries.map(entry => {
    const { tokens } = entry
    return tokens === undefined ? entry : { ...entry, tokens: Math.round(tokens * factor) }
  })
}

/** Where the tokens of a figure come from, for its tooltip. */
export const calibrationText = (factor = 1): string =>
  factor === 1
    ? 'Tokens by our own count: the model has reported none.'
    : `Tokens of the model: our counts times ${Number(factor.toFixed(2))}, by what it has reported.`
