import type { ReceiptStretch } from '@throughline/core/explain'
import type { Fate } from '@throughline/core/fates'
import { isCount, isObject } from '@throughline/core/values'

export type EntryRun = readonly [first: number, last: number]

/** What a call sent in the shadow mode of the server: the client's own list. Its plan is what would have been sent. */
export interface ShadowAccount {
  readonly messages: number
  /** By our counter, like all tokens of a plan. */
  readonly tokens: number
  /** The newest messages that fit the same room: their tokens, and the entries. */
  readonly tail?: { readonly tokens: number; readonly runs: readonly EntryRun[] }
}

/** Whether an imported plan has an account that can be read. */
export function isShadowAccount(value: unknown): value is ShadowAccount {
  if (!isObject(value) || !isCount(value.messages) || !isCount(value.tokens)) return false
  const { tail } = value
  if (tail === undefined) return true
  return (
    isObject(tail) && isCount(tail.tokens) && Array.isArray(tail.runs) && tail.runs.every(isRun)
  )
}

const isRun = (run: unknown): boolean =>
  Array.isArray(run) && run.length === 2 && isCount(run[0], 1) && isCount(run[1], run[0])

const wholeFates: ReadonlySet<Fate> = new Set(['kept', 'moved', 'recalled'])

/** Whether a message is sent with all of its text, as its client words it. */
const isWhole = ({ fate, rule }: Pick<ReceiptStretch, 'fate' | 'rule'>) =>
  wholeFates.has(fate) || (fate === 'altered' && rule === 'request')

/** The entries that are sent whole, in runs. The system prompt of the call is no entry. */
export function wholeRuns(stretches: readonly ReceiptStretch[]): readonly EntryRun[] {
  const runs: [number, number][] = []
  for (const stretch of stretches) {
    if (!isWhole(stretch) || stretch.last < 1) continue
    const first = Math.max(1, stretch.first)
    const before = runs.at(-1)
    if (before?.[1] === first - 1) before[1] = stretch.last
    else runs.push([first, stretch.last])
  }
  return runs
}

/** The entries of some runs that other runs do not have. Both are in order. */
export function lackingIn(
  runs: readonly EntryRun[],
  others: readonly EntryRun[],
): readonly EntryRun[] {
  const lacking: EntryRun[] = []
  let at = 0
  for (const [first, last] of runs) {
    let next = first
    while (at < others.length && others[at]![1] < first) at += 1
    for (let other = at; other < others.length && others[other]![0] <= last; other++) {
      const [from, to] = others[other]!
      if (from > next) lacking.push([next, from - 1])
      next = Math.max(next, to + 1)
    }
    if (next <= last) lacking.push([next, last])
  }
  return lacking
}
