import type { AnswerOf } from '../../api/routes.ts'
import { readFates } from '../../parts/fate-runs.ts'
import { amountOf } from '../../parts/format.ts'

/** Where the model begins to read word for word, and what became of what stands before. */
export function cutOf(
  point: AnswerOf<'get /conversations/:conversation/timeline'> | undefined,
): { readonly before: number; readonly about: string } | undefined {
  const before = point?.cut?.before
  if (before === undefined || before <= 1) return undefined
  const runs = readFates(point?.fates ?? '')
  const amounts = { kept: 0, cleared: 0, digested: 0, recalled: 0 }
  for (const { first, last, fate } of runs)
    if (fate in amounts && first < before)
      amounts[fate as keyof typeof amounts] += Math.min(last, before - 1) - first + 1
  const pieces = [
    amounts.kept > 0 && `${amounts.kept} always sent`,
    amounts.cleared > 0 && `${amounts.cleared} as a line each`,
    amounts.digested > 0 && `${amounts.digested} shortened`,
    amounts.recalled > 0 && `${amounts.recalled} brought back`,
  ].filter(Boolean)
  return {
    before,
    about: `${amountOf(before - 1, 'earlier message')}${pieces.length > 0 ? `: ${pieces.join(', ')}` : ''}`,
  }
}
