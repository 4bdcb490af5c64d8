import type { Watch } from '../draft/frame.ts'
import { bestFirst } from './best-first.ts'
import { type Judgement, type Question, slope } from './judge.ts'

/** The recalled units for one user message. */
export interface Block {
  readonly user: number
  /** The recalled units, in the order of the conversation. */
  readonly units: readonly number[]
  readonly tokens: number
}

export interface Search extends Question, Judgement {
  /** The tokens that the effort's shares refer to. */
  readonly base: number
  /** Units in other blocks. */
  readonly recalled: ReadonlySet<number>
  readonly headCost: number
  readonly watch?: Watch | undefined
}

/** A smaller block is not worth its first line. */
const smallest = 40

/** Nothing is looked for when less is left, but by who watches: why it does not fit. */
const least = 20

/** Tokens that a line costs more than its unit as a message. */
const lineCost = 2

/** Chooses the units to recall for a message, at most `room` tokens; mostly none. */
export function chooseBlock(search: Search, room: number): Block | undefined {
  const { transcript, scores, asked, most, base, user, cut, recalled, headCost, watch } = search
  // The more strongly a message asks, the larger its block may be.
  let worth = Math.min(room, Math.floor(base * Math.min(most, slope * (asked - 1)))) - headCost
  watch?.(search, worth)
  if (worth < smallest) return undefined
  const chosen: number[] = []
  let tokens = headCost
  const floor = floorOf(search)
  for (const at of bestFirst(Float64Array.from(scores.values))) {
    if (scores.values[at]! < floor || (worth < least && !watch)) break
    const unit = scores.units[at]!
    if (unit >= cut || unit === transcript.firstUser) continue
    const { tokens: own, from, to } = transcript.units[unit]!
    const cost = own + lineCost * (to - from)
    watch?.(search, worth, unit, cost)
    if (cost > worth) continue
    worth -= cost
    // A unit in an earlier block is sent already, and uses up its share of this message's room.
    if (recalled.has(unit)) continue
    tokens += cost
    chosen.push(unit)
  }
  return chosen.length > 0 ? { user, units: chosen.sort((a, b) => a - b), tokens } : undefined
}

/** The least score of a unit that is recalled: those below it would only fill the block. */
export const floorOf = ({ best, asked, effort }: Pick<Search, 'best' | 'asked' | 'effort'>): number =>
  best * Math.max(1 / asked, effort.least)
