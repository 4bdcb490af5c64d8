import { notesTitle } from '../../log/texts.ts'
import type { Transcript } from '../conversation/transcript.ts'
import type { SettledOptions } from './frame-options.ts'

/** Notes that are not sent with their replies, gathered: the newest that fit their budget, in order. */
export interface NotesSection {
  readonly text: string
  readonly moved: readonly number[]
}

/** A note as a line of the section. */
export const noteLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** Where notes are gathered from, and the tokens and the number of them that may be sent. */
type NoteRoom = Pick<SettledOptions, 'count' | 'noteBudget' | 'noteCount'> & {
  readonly transcript: Transcript
}

/** `isGathered` says whether a unit's notes belong in the section. The oldest notes are left out first. */
export function notesSection(
  { transcript, count, noteBudget, noteCount }: NoteRoom,
  isGathered: (unit: number) => boolean,
): NotesSection {
  const { notes, entries } = transcript
  const moved: number[] = []
  const lines: string[] = []
  let tokens = count.text(notesTitle)
  for (let index = notes.length - 1; index >= 0 && moved.length < noteCount; index--) {
    const { at, unit } = notes[index]!
    if (!isGathered(unit)) continue
    const line = noteLine(entries[at]!.message.text)
    const cost = count.text(`\n${line}`) + 1
    if (tokens + cost > noteBudget) break
    tokens += cost
    lines.push(line)
    moved.push(at)
  }
  const text = lines.length > 0 ? [notesTitle, ...lines.reverse()].join('\n') : ''
  return { text, moved: moved.reverse() }
}
