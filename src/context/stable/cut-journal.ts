import { actionsTitle, previousActionsTitle } from '../../log/texts.ts'
import { journalOf } from '../../notes/journal.ts'
import { noteToolName } from '../../notes/note-instruction.ts'
import { remember } from '../conversation/remember.ts'
import { textCost } from '../draft/cost.ts'
import type { FullDraft } from '../draft/draft.ts'
import type { Insertion } from '../draft/span.ts'

/**
 * The journal of the turn that the cut goes through, or that ends at it: a line for each tool call, the same until the
 * next cut. Without it models forget what they did in rounds that were cut.
 */
export function cutJournal(draft: FullDraft, cut: number, budget: number): Insertion | undefined {
  const { frame } = draft
  if (budget <= 0) return undefined
  const key = `journal ${[cut, budget, frame.count.id]}`
  return remember(frame.transcript, key, () => ({ insertion: makeJournal(draft, cut, budget) })).insertion
}

function makeJournal(draft: FullDraft, cut: number, budget: number): Insertion | undefined {
  const { frame, units, turns } = draft
  const from = turns.findLast(user => user < cut)
  if (from === undefined) return undefined
  const isInside = !turns.includes(cut)
  const title = isInside ? `${actionsTitle}\n` : `${previousActionsTitle} `
  const messages = frame.transcript.entries
    .slice(units[from]!.from, units[cut - 1]!.to)
    .map(entry => entry.message)
  // A journal is limited in characters and paid in tokens: it is shortened until it fits.
  for (let characters = budget * 4; characters > 60; characters = Math.floor(characters * 0.8)) {
    const journal = journalOf(messages, characters)
    // A journal without a single action, only their number, says nothing.
    const lines = journal.match(/^\d+\./gm)?.length ?? 0
    if (lines === 0) return undefined
    const text = title + journal
    const tokens = textCost(frame, 'user', text)
    if (tokens > budget) continue
    const why = isInside ? 'earlier rounds of this turn' : 'what the turn before the cut did'
    const of = isInside ? named(draft, from, cut, lines) : []
    return { part: 'journal', before: cut, role: 'user', text, tokens, why, of }
  }
  return undefined
}

/** The newest rounds that have lines in the journal; the other cut rounds are only counted. */
function named({ units, entriesOf }: FullDraft, user: number, cut: number, lines: number) {
  let from = cut
  for (let left = lines; from > user + 1; from--) {
    const made = entriesOf(units[from - 1]!).flatMap(({ message }) => message.calls)
    const calls = made.filter(call => call.name !== noteToolName).length
    if (calls > left) break
    left -= calls
  }
  return from < cut ? [{ from, to: cut, why: 'a line of the journal stands for it' }] : []
}
