import { filesIn, findEditsSince } from '../conversation/touched.ts'
import type { Unit } from '../conversation/unit.ts'
import type { Watch } from '../draft/frame.ts'
import { isRecallable, type Judgement, type Question, slope } from './judge.ts'
import type { NamedThing } from './named-things.ts'
import { bestFirst } from './rank.ts'

export interface Search extends Question, Judgement {
  /** The tokens that the effort's shares refer to. */
  readonly base: number
  /** The tokens that are free: what the message names may take all of them. */
  readonly free: number
  readonly headCost: number
  /** What the day costs that stands before the entries of a session; 0 where messages have no times. */
  readonly dayCost: number
  readonly watch?: Watch | undefined
  /** Things made earlier that the message names again. */
  readonly things?: readonly NamedThing[]
}

/** What a unit costs in a block: each line two tokens more than as a message. */
export const lineCost = ({ tokens, from, to }: Unit): number => tokens + 2 * (to - from)

/** The most tokens that a message is worth. */
const limit = ({ base, most, strength }: Search) =>
  Math.floor(base * Math.min(most, slope * (strength - 1)))

/** Whether a message asks strongly enough for a block, whatever room there is. */
export const asksForBlock = (search: Search): boolean => limit(search) > search.headCost

/** Chooses the units to recall for a user message, in order, in at most `room` tokens; mostly none. `recalled`: by other blocks. */
export function chooseBlock(search: Search, recalled: ReadonlySet<number>, room: number) {
  const {
    transcript,
    scores,
    user,
    headCost,
    dayCost,
    named = [],
    things = [],
    free,
    cutState,
    watch,
  } = search
  // The more strongly a message asks, the larger its block may be.
  let worth = Math.min(room, limit(search)) - headCost
  watch?.(search, worth)
  const chosen: number[] = []
  const dated = new Set<number>()
  let tokens = headCost
  // A file that is named is asked for, whatever its words are worth: it may take all of the room.
  const whole = { ...search, files: new Set<number>() }
  // Older texts of it are not brought back beside the newest.
  const inView = new Set(search.files)
  const edits = new Set<number>()
  for (const unit of named) {
    if (!takeNamed(unit)) continue
    for (const file of filesIn(transcript.units, unit, unit + 1)) inView.add(file)
    for (const edit of findEditsSince(transcript, unit, user)) edits.add(edit)
  }
  // Behind all files, or many edits of one would leave no room for the others; the newest first, as the oldest may not fit.
  // An edit behind the cut has its call in view.
  for (const edit of [...edits].sort((a, b) => b - a)) if (edit < cutState.cut) takeNamed(edit)
  for (const { unit } of things) takeNamed(unit)
  if (chosen.length === 0 && worth <= 0) return undefined
  const floor = floorOf(search)
  const unnamed = { ...search, files: inView }
  for (const at of bestFirst(scores.values)) {
    if (scores.values[at]! < floor || worth <= 0) break
    const unit = scores.units[at]!
    if (isRecallable(unnamed, unit)) take(unit, worth)
  }
  return chosen.length > 0 ? { user, units: chosen.sort((a, b) => a - b), tokens } : undefined

  function takeNamed(unit: number): boolean {
    const isGone = isRecallable(whole, unit) && !recalled.has(unit)
    return isGone && take(unit, Math.min(room, free) - tokens)
  }

  /** Takes a unit, if it costs no more than what is left. */
  function take(unit: number, left: number): boolean {
    if (chosen.includes(unit)) return false
    const session = search.index.sessions[unit]!
    const cost = lineCost(transcript.units[unit]!) + (dated.has(session) ? 0 : dayCost)
    watch?.(search, left, unit, cost)
    if (cost > left) return false
    worth -= cost
    // A unit in an earlier block is sent already, and uses up its share of this message's room.
    if (recalled.has(unit)) return true
    tokens += cost
    dated.add(session)
    chosen.push(unit)
    return true
  }
}

/** The least score of a unit that is recalled: those below it would only fill the block. */
export const floorOf = ({
  best,
  strength,
  effort,
}: Pick<Search, 'best' | 'strength' | 'effort'>): number =>
  best * Math.max(1 / strength, effort.least)
