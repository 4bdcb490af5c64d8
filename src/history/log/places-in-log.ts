import type { ReceiptCut } from '../../context/receipt.ts'
import type { Why } from '../../context/why/why-conversation.ts'

/** A receipt counts from 0, with the prompt first, which is `lead` messages; the log counts entries from 1. */
export const placeInLog = (seq: number, lead: number): number => seq - lead + 1

export const seqInReceipt = (place: number, lead: number): number => place + lead - 1

export const stretchInLog = <Stretch extends { readonly first: number; readonly last: number }>(
  stretch: Stretch,
  lead: number,
): Stretch => ({
  ...stretch,
  first: placeInLog(stretch.first, lead),
  last: placeInLog(stretch.last, lead),
})

export const cutInLog = (cut: ReceiptCut, lead: number): ReceiptCut => ({
  ...cut,
  before: placeInLog(cut.before, lead),
  at: placeInLog(cut.at, lead),
})

export function whyInLog(told: Why, lead: number): Why {
  const { unit, cut, recall } = told
  const { asking, found, near } = recall ?? {}
  return {
    ...seqInLog(told),
    unit: stretchInLog(unit, lead),
    ...(cut && { cut: cutInLog(cut, lead) }),
    ...(recall && {
      recall: {
        ...recall,
        ...(asking && { asking: seqInLog(asking) }),
        ...(found && { found: seqInLog(found) }),
        ...(near !== undefined && { near: placeInLog(near, lead) }),
      },
    }),
  }

  function seqInLog<Placed extends { readonly seq: number }>(placed: Placed): Placed {
    return { ...placed, seq: placeInLog(placed.seq, lead) }
  }
}
