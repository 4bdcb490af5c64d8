import type { Transcript } from '../conversation/transcript.ts'
import { bestFirst } from './best-first.ts'
import type { Effort } from './effort.ts'
import type { Judgement } from './judge.ts'

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
  readonly judgement: Judgement
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
  const { transcript, judgement, effort, base, user, cut, recalled, headCost } = search
  const { scores, asked } = judgement
  // How strongly something is asked for says how much it is worth, not only whether.
  let worth = Math.min(room, Math.floor(base * Math.min(effort.block, effort.slope * (asked - 1)))) - headCost
  if (worth < smallest || cut === 0) return undefined
  const chosen: number[] = []
  let tokens = headCost
  let misses = 0
  for (const unit of bestFirst(candidates(search), scores)) {
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

/** The old units that reach the gate themselves, or a block would be filled with whatever comes next. */
function candidates({ transcript, judgement, user, cut }: Search): Int32Array {
  const { scores, best, asked } = judgement
  const floor = Math.max(1, best / asked)
  const end = Math.min(cut, user)
  const { firstUser } = transcript
  const found = new Int32Array(end)
  let size = 0
  for (let unit = 0; unit < end; unit++)
    if (scores[unit]! >= floor && unit !== firstUser) found[size++] = unit
  return found.subarray(0, size)
}
