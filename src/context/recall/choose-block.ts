import type { Transcript } from '../conversation/transcript.ts'
import { type Effort, isQuestion, strength, viewTokens } from './effort.ts'
import { isRecallable } from './index-transcript.ts'
import type { Ranking } from './rank.ts'
import { withoutLabel } from './terms.ts'

/** What was recalled for one user message. */
export interface Block {
  /** The unit of the user message. */
  readonly user: number
  /** The units that were brought back, in the order of the conversation. */
  readonly units: readonly number[]
  /** What it is charged. */
  readonly tokens: number
  /** For each unit, why it was brought back. */
  readonly reasons?: readonly string[]
}

export interface Search {
  readonly transcript: Transcript
  readonly ranking: Ranking
  readonly effort: Effort
  /** What the effort's shares are shares of. */
  readonly base: number
  readonly user: number
  readonly cut: number
  /** Units that stand in other blocks. */
  readonly recalled: ReadonlySet<number>
  /** What the block's first line costs. */
  readonly headCost: number
}

/** A smaller block is not worth its first line. */
const smallest = 40

/** Tokens that a line adds to what the unit costs as a message. */
const lineCost = 2

/** Chooses what to bring back for a message, at most `room` tokens: nothing, most of the time. */
export function chooseBlock(search: Search, room: number): Block | undefined {
  const { transcript, ranking, effort, base, user, cut, recalled, headCost } = search
  const { scores } = ranking
  const old = oldUnits(search)
  const best = old.reduce((most, unit) => Math.max(most, scores[unit]!), 0)
  const text = withoutLabel(transcript.entries[transcript.units[user]!.from]!.message.text)
  const asked = strength(best, bestInView(search), ranking.whole, isQuestion(text), effort)
  // How strongly something is asked for says how much it is worth, not only whether.
  let worth = Math.min(room, Math.floor(base * Math.min(effort.block, effort.slope * (asked - 1)))) - headCost
  if (worth < smallest || cut === 0) return undefined
  // Each must itself reach the gate, or a block would be filled with whatever comes next.
  const floor = best / asked
  const ranked = old.filter(unit => scores[unit]! >= floor).sort((a, b) => scores[b]! - scores[a]! || a - b)
  const chosen: number[] = []
  let tokens = headCost
  for (const unit of ranked) {
    const { tokens: own, from, to } = transcript.units[unit]!
    const cost = own + lineCost * (to - from)
    if (cost > worth) continue
    worth -= cost
    // What an earlier block has is there already: it uses up its share of what this message is worth.
    if (recalled.has(unit)) continue
    tokens += cost
    chosen.push(unit)
  }
  return chosen.length > 0 ? { user, units: chosen.sort((a, b) => a - b), tokens } : undefined
}

/** What was said before the cut and the message, and is not there anyway. */
function oldUnits({ transcript, ranking, user, cut }: Search): number[] {
  const old: number[] = []
  const end = Math.min(cut, user)
  for (let unit = 0; unit < end; unit++) {
    if (ranking.scores[unit]! <= 0 || unit === transcript.firstUser) continue
    if (isRecallable(transcript.units[unit]!)) old.push(unit)
  }
  return old
}

/** The best of the end of the tail, which the model sees anyway. */
function bestInView({ transcript, ranking, user, cut }: Search): number {
  let best = 0
  let tokens = 0
  for (let unit = user - 1; unit >= cut; unit--) {
    tokens += transcript.units[unit]!.tokens
    if (tokens > viewTokens) break
    best = Math.max(best, ranking.scores[unit]!)
  }
  return best
}
