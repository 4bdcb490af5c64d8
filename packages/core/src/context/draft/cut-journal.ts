import { actionsTitle, previousActionsTitle } from '../../log/texts.ts'
import { countCalls, type NewestActions, newestActions, writeJournal } from '../../notes/journal.ts'
import { firstPlace, placeOf } from '../conversation/first-place.ts'
import { remember } from '../conversation/remember.ts'
import type { Transcript } from '../conversation/transcript.ts'
import { isOrdinary } from '../conversation/unit.ts'
import { baseRoom, textCost } from './cost.ts'
import type { Draft } from './draft.ts'
import type { Frame } from './frame.ts'
import type { Insertion } from './span.ts'

/** The tokens of a journal: none in a window too small for it, and at most an eighth of what system prompt and tools leave. */
export const journalRoom = (frame: Frame): number =>
  frame.window < leastWindow ? 0 : Math.floor(Math.min(frame.window / 32, baseRoom(frame) / 8))

const leastWindow = 4096

/** The newest round of tool calls before a unit, or -1. Found by halving, as a conversation may be long. */
export function lastRoundBefore({ stops, turns }: Transcript, before: number): number {
  // Stops are users and rounds: where one stop more is no user, there stands a round.
  const rounds = (count: number) =>
    count - placeOf(turns, count < stops.length ? stops[count]! : before)
  const all = rounds(placeOf(stops, before))
  return all === 0 ? -1 : stops[firstPlace(stops.length, place => rounds(place + 1) >= all)]!
}

/** A line for each call cut from the newest turn with tools: models forget what they did. `after`: a round still sent, or -1. */
export function cutJournal(
  draft: Draft,
  cut: number,
  budget: number,
  after = -1,
): Insertion | undefined {
  const { frame } = draft
  const stretch = budget <= 0 ? undefined : stretchBefore(draft, cut, after)
  if (!stretch) return undefined
  const key = `journal ${[cut, budget, ...Object.values(stretch), frame.count.id]}`
  return remember(frame.transcript, key, () => ({
    insertion: makeJournal(draft, cut, budget, stretch),
  })).insertion
}

/** The units of a turn that a journal tells of, and what is true of the turn: it may still end. */
interface Stretch {
  readonly from: number
  readonly to: number
  readonly isInside: boolean
  readonly isOpen: boolean
}

function stretchBefore(
  { frame, units, turns }: Draft,
  cut: number,
  after: number,
): Stretch | undefined {
  const round = lastRoundBefore(frame.transcript, cut)
  const next = placeOf(turns, round)
  const user = turns[next - 1]
  if (round < 0 || user === undefined) return undefined
  const end = turns[next] ?? units.length
  const isInside = end > cut
  const isOpen =
    isInside && end === units.length && units.findLast(isOrdinary)?.kind !== 'assistant'
  return { from: Math.max(user, after), to: Math.min(end, cut), isInside, isOpen }
}

function makeJournal(
  draft: Draft,
  cut: number,
  budget: number,
  { from, to, isInside, isOpen }: Stretch,
): Insertion | undefined {
  const { frame, units } = draft
  const title = isOpen ? `${actionsTitle}\n` : `${previousActionsTitle} `
  const { entries } = frame.transcript
  const first = units[from]!.to
  const last = units[to - 1]!.to
  const { from: start, actions } = newestActions(
    place => entries[place]!.message,
    first,
    last,
    budget * 4,
  )
  const newest = { earlier: callsFrom(frame.transcript, first, start), actions }
  const fitsInto = (room: number) => (journal: string) =>
    textCost(frame, 'user', title + journal) <= room
  const fits = fitsInto(budget)
  // Half of the room is for what the newest calls have found: a long list of names says less.
  const results = isInside ? mostResults(newest, fitsInto(budget / 2)) : 0
  // A journal is limited in characters and paid in tokens: it is shortened until it fits.
  for (let characters = budget * 4; characters > 60; characters = Math.floor(characters * 0.8)) {
    const journal = writeJournal(newest, characters, isInside, results)
    // A journal without a single action, only their number, says nothing.
    const lines = journal.match(/^\d+\./gm)?.length ?? 0
    if (lines === 0) return undefined
    if (!fits(journal)) continue
    const text = title + (isInside ? withResults(newest, lines, fits) : journal)
    const tokens = textCost(frame, 'user', text)
    const why = isInside
      ? 'earlier rounds of a turn that is sent'
      : 'what the last turn with tools did before the cut'
    const of = isInside ? named(draft, from, cut, lines) : []
    return { part: 'journal', before: cut, role: 'user', text, tokens, why, of }
  }
  return undefined
}

/** As many of the newest lines as fit, and a few words of the results of as many of these as still fit, the newest first. */
function withResults(
  newest: NewestActions,
  lines: number,
  fits: (journal: string) => boolean,
): string {
  const cut = newest.actions.length - lines
  const told = { earlier: newest.earlier + cut, actions: newest.actions.slice(cut) }
  const write = (results: number) => writeJournal(told, Number.POSITIVE_INFINITY, true, results)
  return write(firstPlace(lines, results => !fits(write(results + 1))))
}

/** How many of the newest lines fit if all of them tell their results. */
function mostResults(
  { earlier, actions }: NewestActions,
  fits: (journal: string) => boolean,
): number {
  const write = (lines: number) => {
    const told = {
      earlier: earlier + actions.length - lines,
      actions: actions.slice(actions.length - lines),
    }
    return writeJournal(told, Number.POSITIVE_INFINITY, true, lines)
  }
  return firstPlace(actions.length, lines => !fits(write(lines + 1)))
}

/** The calls from one entry up to another, counted on from the cut before: a long turn has thousands, and hundreds of cuts. */
function callsFrom(transcript: Transcript, first: number, end: number): number {
  const counted = remember(transcript, `calls from ${first}`, () => ({ end: first, calls: 0 }))
  if (end < counted.end) Object.assign(counted, { end: first, calls: 0 })
  for (; counted.end < end; counted.end++)
    counted.calls += countCalls([transcript.entries[counted.end]!.message])
  return counted.calls
}

/** The newest rounds that have lines in the journal; the other cut rounds are only counted. */
function named({ units, entriesOf }: Draft, after: number, cut: number, lines: number) {
  let from = cut
  for (let left = lines; from > after + 1; from--) {
    const calls = countCalls(entriesOf(units[from - 1]!).map(({ message }) => message))
    if (calls > left) break
    left -= calls
  }
  return from < cut ? [{ from, to: cut, why: 'a line of the journal stands for it' }] : []
}
