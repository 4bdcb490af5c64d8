import { notesTitle } from '../../log/texts.ts'
import type { TokenCounter } from '../../tokens/counter.ts'
import type { Transcript } from '../conversation/transcript.ts'

/** Notes that are not sent with their replies, gathered: the newest that fit their budget, in order. */
export interface NotesSection {
  readonly text: string
  readonly moved: readonly number[]
}

/** `isGathered` says whether a unit's notes belong in the section. The oldest notes are left out first. */
export function notesSection(
  { notes, entries }: Transcript,
  count: TokenCounter,
  budget: number,
  isGathered: (unit: number) => boolean,
): NotesSection {
  const moved: number[] = []
  const lines: string[] = []
  let tokens = count.text(notesTitle)
  for (let index = notes.length - 1; index >= 0; index--) {
    const { at, unit } = notes[index]!
    if (!isGathered(unit)) continue
    const line = entries[at]!.message.text.replace(/\s+/g, ' ').trim()
    const cost = count.text(`\n${line}`) + 1
    if (tokens + cost > budget) break
    tokens += cost
    lines.push(line)
    moved.push(at)
  }
  const text = lines.length > 0 ? [notesTitle, ...lines.reverse()].join('\n') : ''
  return { text, moved: moved.reverse() }
}
