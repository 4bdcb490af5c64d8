import type { Watch } from '../draft/frame.ts'
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

/** After this many units in a row that are too large, the room left is too small for any. */
const mostMisses = 100

/** Tokens that a line costs more than its unit as a message. */
const lineCost = 2

/** Chooses the units to recall for a message, at most `room` tokens; mostly none. */
export function chooseBlock(search: Search, room: number): Block | undefined {
  const { transcript, scores, asked, most, base, user, recalled, headCost, watch } = search
  // The more strongly a message asks, the larger its block may be.
  let worth = Math.min(room, Math.floor(base * Math.min(most, slope * (asked - 1)))) - headCost
  watch?.(search, worth)
  if (worth < smallest) return undefined
  const chosen: number[] = []
  let tokens = headCost
  let misses = 0
  for (const unit of bestFirst(candidates(search), scores)) {
    const { tokens: own, from, to } = transcript.units[unit]!
    const cost = own + lineCost * (to - from)
    watch?.(search, worth, unit, cost)
    if (cost > worth) {
      misses += 1
      if (misses > mostMisses) break
      continue
    }
    misses = 0
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

/** The old units that pass the gate themselves. */
function candidates(search: Search): Int32Array {
  const { transcript, scores, user, cut } = search
  const floor = floorOf(search)
  const end = Math.min(cut, user)
  const { firstUser } = transcript
  const found = new Int32Array(end)
  let size = 0
  for (let unit = 0; unit < end; unit++)
    if (scores[unit]! >= floor && unit !== firstUser) found[size++] = unit
  return found.subarray(0, size)
}

/**
 * Yields entries by falling score, ties by place. A heap: a block takes a handful of thousands of candidates, and
 * sorting all of them would cost more than everything else.
 */
function* bestFirst(entries: Int32Array, scores: Float64Array): Generator<number> {
  const heap = entries
  let size = heap.length
  const isBefore = (a: number, b: number) => scores[a]! > scores[b]! || (scores[a]! === scores[b]! && a < b)
  const sink = (start: number) => {
    const entry = heap[start]!
    let at = start
    for (;;) {
      let child = 2 * at + 1
      if (child >= size) break
      if (child + 1 < size && isBefore(heap[child + 1]!, heap[child]!)) child += 1
      if (!isBefore(heap[child]!, entry)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = entry
  }
  for (let at = (size >> 1) - 1; at >= 0; at--) sink(at)
  while (size > 0) {
    const best = heap[0]!
    size -= 1
    heap[0] = heap[size]!
    if (size > 0) sink(0)
    yield best
  }
}
