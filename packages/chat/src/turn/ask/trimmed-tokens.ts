import type { Receipt } from '@throughline/core/explain'

/** How many tokens of what must be sent were cut, because it did not fit. Nearly always the cheap `stretches` is enough. */
export function trimmedTokens(receipt: Receipt): number {
  const isCut = ({ fate, rule }: Receipt['stretches'][number]) =>
    fate === 'altered' && rule === 'trim'
  const cut = receipt.stretches.filter(isCut)
  if (cut.length === 0) return 0
  const isIn = (seq: number) => cut.some(({ first, last }) => first <= seq && seq <= last)
  const whole = receipt.entries.reduce((sum, { seq, tokens }) => sum + (isIn(seq) ? tokens : 0), 0)
  const sent = receipt.sent.reduce(
    (sum, { seqs, tokens }) => sum + (seqs.some(isIn) ? tokens : 0),
    0,
  )
  return Math.max(1, whole - sent)
}
