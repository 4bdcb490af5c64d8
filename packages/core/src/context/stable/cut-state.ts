import {
  ageSystems,
  isCleared,
  nothingCleared,
  savedBetween,
  savingSum,
} from '../conversation/clearing.ts'
import { firstPlace, placeOf } from '../conversation/first-place.ts'
import { findReferred } from '../conversation/references.ts'
import { costBetween } from '../conversation/transcript.ts'
import { lastRoundBefore } from '../draft/cut-journal.ts'
import { rulesCharge } from '../standing/rule-places.ts'
import { rightStart } from './by-right.ts'
import { type Costs, type Ledger, rememberRead } from './ledger.ts'

/** Where the conversation is cut, and since when. Numbers are units, except for tokens. */
export type CutState = Readonly<typeof still>

/** The state in which everything is sent. */
export const still = {
  /** The number of stops read. */
  next: 0,
  /** The first unit that is sent, besides protected ones; 0 while nothing is cut. */
  cut: 0,
  /** What is sent as one line. */
  cleared: nothingCleared,
  /** The unit at which the room was full last, and the user message of its turn. */
  movedAt: 0,
  movedAtUser: -1,
  /** The turn being read (an index into the turns), and its user message. */
  turn: -1,
  user: -1,
  /** How full it was: the tokens to be sent, and the room for them. */
  needed: 0,
  limit: 0,
  /** Tokens before the cut that are sent all the same: system messages, and what earlier policies protect. */
  stuck: 0,
  /** Where the cut lies inside a turn: its request, sent for the rounds that stay, and the tokens for lines of the others. */
  request: -1,
  lines: 0,
  /** The first round of that turn, which mostly holds the plan: it is sent too. -1 if there is none, or if it is long. */
  opening: -1,
  /** The tokens of these three. */
  beginning: 0,
  /** The tokens of system messages before `movedAt` that are not sent any more. */
  aged: 0,
}

// The numbers of the state of the cut. The trials with agents chose them: bench/notes/recall.md, "Long turns of agents".

/** The share of the room that stays full inside a turn. 0.5 loses a point of the lines a step quotes, 0.7 reads a tenth more. */
const fullInside = 0.62
/** The most tokens that stay inside a turn: what a step quotes is seldom further back. */
const mostInside = 10_240
/** The share of the room above which clearing alone does not do before a message. */
const fullAtMessage = 0.8
/** The tokens of a line of the journal, on average. */
const journalLine = 24
/** The turns, as long as the last ones were, for which a cut before a message leaves room. */
const turnsAhead = 8
/** How many of the last turns say how long the next ones will be. */
const lastTurns = 20

/** The most stops that are read before others get their turn: some milliseconds. */
const stopsInRow = 1024

type Full = Pick<CutState, 'needed' | 'limit' | 'movedAt'>

/** What a cut before a user message keeps: the message itself, what stays by right, and what fits the low-water mark. */
interface Goal {
  readonly charge: number
  readonly right: number
  readonly low: number
}

/**
 * Gives the steps of a state of the cut: from stop to stop, and with `isEarly` before a user message as if the room were full.
 * Something goes only when it is full, and then enough for many turns: long results and answers are cleared, oldest first;
 * where that is not enough, the oldest units are cut. In between a context only grows. Token counts alone decide.
 */
function cutSteps(costs: Costs) {
  const { room, transcript } = costs
  const { turns, stops, firstUser } = transcript
  return { step, atUser }

  function step(past: CutState, stop: number): CutState {
    const next = past.next + 1
    const turn = past.turn + 1
    return stop === turns[turn]
      ? atUser({ ...past, next, turn, user: stop })
      : atRound({ ...past, next }, stop)
  }

  /** Makes room before a user message: down to the low-water mark, and never below what stays by right. */
  function atUser(cutState: CutState, isEarly = false): CutState {
    const { user } = cutState
    const charge = user === firstUser ? 0 : lastCost(user)
    const needed = spentIn(costs, cutState, user) + charge
    const limit = isStill(cutState) ? room.whole : room.tail
    if (!isEarly && needed <= limit) return cutState
    const goal: Goal = {
      charge,
      right: rightStart(costs, cutState, charge),
      low: isEarly ? room.low : lowMark(cutState),
    }
    // Where no tools are called, whole exchanges go: their answers are what the next message follows up on.
    const end = lastRoundBefore(transcript, user) >= cutState.cut ? goal.right : cutState.cut
    const cleared = ageAndClear(cutState, user, end, needed - goal.low)
    const isFull = isEarly || spentIn(costs, cleared, user) + charge > fullAtMessage * limit
    const full = { needed, limit, movedAt: user }
    return isFull ? cutBefore(cleared, goal, full) : moveCut(cleared, cutState.cut, full)
  }

  /** The low-water mark: where turns are short, it is higher, as long as it leaves room for some more of them. */
  function lowMark({ user, turn }: CutState): number {
    const before = Math.min(lastTurns, turn)
    if (before <= 0) return room.low
    const mean = costBetween(costs, turns[turn - before]!, user) / before
    return Math.max(room.low, Math.min(room.high, Math.floor(room.tail - turnsAhead * mean)))
  }

  /** Keeps what stays by right, and the newest turns that fit into the low-water mark. */
  function cutBefore(past: CutState, { charge, right, low: mark }: Goal, full: Full): CutState {
    const { user, turn } = past
    const costFrom = (cutState: CutState, from: number) =>
      sentCost(costs, cutState, from, user) + charge + insideAt(cutState, from).beginning
    const last = Math.max(right, past.cut)
    const hasRounds = lastRoundBefore(transcript, user) >= last
    const low = mark - past.stuck
    const most = Math.max(hasRounds ? room.keepRounds : room.keep, low)
    // A turn with rounds loses results, oldest first, before it goes: what was called and thought is short.
    const cutState = hasRounds ? clear(past, last, user, costFrom(past, last) - most) : past
    return moveCut(cutState, costFrom(cutState, last) > most ? insideLast() : beforeLast(), full)

    function insideLast(): number {
      if (hasRounds)
        return last + firstPlace(user - last, more => costFrom(cutState, last + more) <= most)
      // Of many user messages in a row the newest stay.
      const begin = placeOf(turns, last)
      return turns[
        begin + firstPlace(turn - begin, more => costFrom(cutState, turns[begin + more]!) <= low)
      ]!
    }

    function beforeLast(): number {
      let cut = last
      for (let at = placeOf(turns, last) - 1; at >= 0; at--) {
        const earlier = turns[at]!
        if (earlier < cutState.cut || costFrom(cutState, earlier) > low) break
        cut = earlier
      }
      return cut
    }
  }

  /** A round: makes room inside a long turn, whose user message is protected and whose earlier rounds are not. */
  function atRound(cutState: CutState, at: number): CutState {
    const { user } = cutState
    const round = lastCost(at, room.inlineNotes)
    const needed = spentIn(costs, cutState, at) + round
    const limit = cutState.turn > 0 ? room.inside : room.single
    if (needed <= limit) return cutState
    const goal = Math.min(Math.floor(limit * fullInside), mostInside)
    const costFrom = (one: CutState, cut: number) =>
      spentIn(costs, { ...one, cut, beginning: insideAt(one, cut).beginning }, at) + round
    const past = ageAndClear(cutState, at, user, needed - goal)
    let { cut } = past
    // Earlier turns go before the results of the open one, which it still works with.
    while (cut < user && costFrom(past, cut) > goal) cut = turns[placeOf(turns, cut + 1)] ?? user
    const cleared = clear(past, cut, at, costFrom(past, cut) - goal)
    // Without room for another round like this one the next would cut again.
    if (costFrom(cleared, cut) + round > limit)
      while (cut < at && costFrom(cleared, cut) > goal) cut += 1
    return moveCut(cleared, cut, { needed, limit, movedAt: at })
  }

  /** Lets system messages before a unit age, then clears from the cut up to another unit what else is wanted. */
  function ageAndClear(cutState: CutState, at: number, end: number, wanted: number): CutState {
    const aged = ageSystems(transcript, at, room.systems)
    return clear({ ...cutState, aged }, cutState.cut, end, wanted - (aged - cutState.aged))
  }

  /** Clears from one unit up to another, oldest first, until enough tokens are saved. */
  function clear(cutState: CutState, start: number, end: number, wanted: number): CutState {
    const from = Math.max(start, cutState.cleared.before)
    if (from >= end || wanted <= 0) return cutState
    const saved = (more: number) => savedBetween(costs, { before: from + more }, from, end)
    return {
      ...cutState,
      cleared: { before: from + firstPlace(end - from, more => saved(more) >= wanted) },
    }
  }

  function moveCut(cutState: CutState, cut: number, full: Full): CutState {
    const stuck = cutState.stuck + systemCost(costs, cutState.cut, cut)
    return {
      ...cutState,
      ...full,
      movedAtUser: cutState.user,
      stuck,
      cut,
      ...insideAt(cutState, cut),
    }
  }

  /** What a cut needs of the turn that it lies in: nothing between two turns. The first user message is charged elsewhere. */
  function insideAt(cutState: CutState, cut: number) {
    const turn = placeOf(turns, cut)
    const request = turns[turn - 1] ?? -1
    if (request < 0 || turns[turn] === cut)
      return { request: -1, lines: 0, opening: -1, beginning: 0 }
    const place = placeOf(stops, request + 1)
    const lines = Math.min(room.lines, (placeOf(stops, cut) - place) * journalLine)
    const first = stops[place]!
    const firstCost = first < cut ? sentCost(costs, cutState, first, first + 1) : 0
    const isShort = firstCost > 0 && firstCost <= room.opening
    const beginning = lines + costBetween(costs, request, request + 1) + (isShort ? firstCost : 0)
    return { request, lines, opening: isShort ? first : -1, beginning }
  }

  /** What a unit costs while it is the last one, and so protected, whatever an earlier policy decides about it later. */
  function lastCost(unit: number, inlineNotes = false): number {
    return costBetween(transcript, unit, unit + 1, inlineNotes)
  }
}

/** Makes room before a user message as if the room were full: what it asks for needs it. `exchanges`: those that stay by right. */
export function cutEarly(
  { room, ...ledger }: Costs,
  past: CutState,
  user: number,
  exchanges: number,
): CutState {
  const { atUser } = cutSteps({
    ...ledger,
    room: { ...room, low: room.early, keepRounds: room.early, exchanges },
  })
  return atUser({ ...past, turn: placeOf(ledger.transcript.turns, user), user }, true)
}

/** Whether everything is still sent as it is. */
export const isStill = ({ cut, cleared, aged }: CutState): boolean =>
  cut === 0 && cleared.before === 0 && aged === 0

/** Where a conversation is cut now. Earlier states are remembered. If `rest` throws, the next call goes on there. */
export function cutStateOf(costs: Costs, rest?: () => void): CutState {
  const { stops, units } = costs.transcript
  const { step } = cutSteps(costs)
  const { read, keep } = rememberRead(
    costs,
    `cutState ${JSON.stringify(costs.room)}`,
    still as CutState,
  )
  const settled = settledUnits(costs)
  let cutState = read
  while (stops[cutState.next]! < settled) {
    const at = stops[cutState.next]!
    cutState = step(cutState, at)
    if (cutState.next % stopsInRow > 0) continue
    keep(cutState, at + 1)
    rest?.()
  }
  keep(cutState, settled)
  // What comes after it, a journal of as many rounds, say, is a piece of its own.
  if (cutState.next > read.next + stopsInRow / 4) rest?.()
  while (stops[cutState.next]! < units.length) cutState = step(cutState, stops[cutState.next]!)
  return cutState
}

/** The number of units that cannot grow: not a last round that waits for results, or a reply that may get a note. */
function settledUnits({ transcript: { units } }: Ledger): number {
  const last = units.at(-1)
  return last && last.kind !== 'user' && last.kind !== 'system' ? units.length - 1 : units.length
}

/** The tokens of what is sent of the conversation, up to a unit; the first user message is charged elsewhere. */
export function spentIn(costs: Costs, cutState: CutState, end: number): number {
  const { cut, stuck, beginning, aged } = cutState
  const rules = rulesCharge(costs.transcript, cut, costs.room.base)
  return sentCost(costs, cutState, cut, end) + rules + stuck + beginning - aged
}

/** The cost of units in a row, with lines for those that are cleared. */
function sentCost(costs: Costs, { cleared }: CutState, from: number, to: number): number {
  if (from >= to) return 0
  const { transcript, room } = costs
  const whole = costBetween(costs, from, to, room.inlineNotes) + systemCost(costs, from, to)
  const sent = whole - savedBetween(costs, cleared, from, to)
  // Asked for every stop of a conversation: while everything is sent, no result is sent in place of a reference.
  const isWhole = from === 0 && cleared.before === 0
  if (isWhole || transcript.references.length === 0) return sent
  const isGone = (unit: number) => unit < from || isCleared(transcript, cleared, unit)
  const referred = findReferred(transcript, Math.max(from, cleared.before), to, isGone)
  return sent + savingSum(transcript, referred.values())
}

/** The cost of those among units in a row that are always sent. */
const systemCost = ({ systemCostBefore }: Ledger, from: number, to: number) =>
  systemCostBefore[to]! - systemCostBefore[from]!
