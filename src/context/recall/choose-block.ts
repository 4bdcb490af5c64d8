import type { Transcript } from '../conversation/transcript.ts'
import { bestFirst } from './best-first.ts'
import { type Effort, isQuestion, strength, viewTokens } from './effort.ts'
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

/** After so many units in a row that are too large, what is left is too small for any. */
const mostMisses = 100

/** Tokens that a line adds to what the unit costs as a message. */
const lineCost = 2

/** Chooses what to bring back for a message, at most `room` tokens: nothing, most of the time. */
export function chooseBlock(search: Search, room: number): Block | undefined {
  const { transcript, ranking, effort, base, user, cut, recalled, headCost } = search
  const { scores } = ranking
  const end = Math.min(cut, user)
  const best = bestBefore(search, end)
  const text = withoutLabel(transcript.entries[transcript.units[user]!.from]!.message.text)
  const asked = strength(best, bestInView(search), ranking.whole, isQuestion(text), effort)
  // How strongly something is asked for says how much it is worth, not only whether.
  let worth = Math.min(room, Math.floor(base * Math.min(effort.block, effort.slope * (asked - 1)))) - headCost
  if (worth < smallest || cut === 0) return undefined
  // Each must itself reach the gate, or a block would be filled with whatever comes next.
  const chosen: number[] = []
  let tokens = headCost
  let misses = 0
  for (const unit of bestFirst(reaching(search, end, best / asked), scores)) {
    const { tokens: own, from, to } = transcript.units[unit]!
    const cost = own + lineCost * (to - from)
    if (cost > worth) {
      misses += 1
      if (misses > mostMisses) break
      continue
    }
    misses = 0
    worth -= cost
    // What an earlier block has is there already: it uses up its share of what this message is worth.
    if (recalled.has(unit)) continue
    tokens += cost
    chosen.push(unit)
  }
  return chosen.length > 0 ? { user, units: chosen.sort((a, b) => a - b), tokens } : undefined
}

/** The best score of what was said before the cut and the message, and is not there anyway. */
function bestBefore({ transcript, ranking }: Search, end: number): number {
  const { scores } = ranking
  const { firstUser } = transcript
  let best = 0
  for (let unit = 0; unit < end; unit++) if (scores[unit]! > best && unit !== firstUser) best = scores[unit]!
  return best
}

/** The units that reach a score. */
function reaching({ transcript, ranking }: Search, end: number, floor: number): Int32Array {
  const { scores } = ranking
  const { firstUser } = transcript
  const found = new Int32Array(end)
  let size = 0
  for (let unit = 0; unit < end; unit++) {
    if (scores[unit]! > 0 && scores[unit]! >= floor && unit !== firstUser) found[size++] = unit
  }
  return found.subarray(0, size)
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
