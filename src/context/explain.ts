import { InvalidOptionError } from '../log/error.ts'
import { showValue } from '../log/show-value.ts'
import type { Fate, Receipt } from './receipt.ts'
import { describeRoom, receiptTable } from './receipt-table.ts'

/**
 * A receipt in words: a table of all messages; or, with `seq` (a message's place in the list, from 0), the fate of that
 * message and why.
 *
 * @example
 * explain(receipt, 57)
 * // Message 57 (user, 42 tokens) was left out: before the cut (balanced). The cut stands before message 60. It fell at …
 */
export function explain(receipt: Receipt, seq?: number): string {
  if (seq === undefined) return receiptTable(receipt)
  const entry = receipt.entries[seq]
  if (!entry) {
    const last = receipt.entries.length - 1
    throw new InvalidOptionError(
      'seq',
      `expected the place of a message, 0 to ${last}, got ${showValue(seq)}`,
    )
  }
  const { role, tokens, fate, why, rule } = entry
  const said = `Message ${seq} (${role}, ${tokens} tokens) ${became[fate]}: ${why} (${rule}).`
  return fate === 'kept' || fate === 'altered' ? said : `${said} ${describeRoom(receipt)}`
}

const became: Readonly<Record<Fate, string>> = {
  kept: 'is sent as it is',
  altered: 'is sent, but changed',
  digested: 'is not sent, a line stands for it',
  recalled: 'was cut and brought back, in a block of recalled messages',
  moved: 'stands in the notes section',
  elided: 'was left out',
}
