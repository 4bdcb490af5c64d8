import { type Aged, createAgeing, nothingAged } from '../conversation/age-systems.ts'
import { type Cleared, isCleared, nothingCleared, savedBetween, savingSum } from '../conversation/clearing.ts'
import { exchangeStart } from '../conversation/exchange-start.ts'
import { firstPlace, placeOf } from '../conversation/first-place.ts'
import { findReferred } from '../conversation/references.ts'
import { costBetween } from '../conversation/transcript.ts'
import { lastRoundBefore } from '../draft/cut-journal.ts'
import type { UnitRange } from '../draft/span.ts'
import type { Room } from './divide-room.ts'
import { type Ledger, rememberRead } from './ledger.ts'

/** Where the conversation is cut, and since when. Numbers are units, except for tokens. */
export interface Fold {
  /** The number of stops read. */
  readonly next: number
  /** The first unit that is sent, besides protected ones; 0 while nothing is cut. */
  readonly cut: number
  /** What is sent as one line. */
  readonly cleared: Cleared
  /** The unit at which the room was full last, and the user message of its turn. */
  readonly epoch: number
  readonly epochUser: number
  /** The turn being read (an index into the turns), and its user message. */
  readonly turn: number
  readonly user: number
  /** How full it was: the tokens to be sent, and the room for them. */
  readonly needed: number
  readonly limit: number
  /** Tokens before the cut that are sent all the same: system messages, and what earlier policies protect. */
  readonly stuck: number
  /** Where the cut lies inside a turn: its request, which is sent for the rounds that stay, and the tokens for lines of the others. */
  readonly request: number
  readonly lines: number
  /** The first round of that turn, which mostly holds the plan: it is sent too. -1 if there is none, or if it is long. */
  readonly opening: number
  /** The tokens of these three. */
  readonly beginning: number
  /** System messages that are not sent any more since the last cut. */
  readonly aged: Aged
}

const start: Fold = {
  next: 0,
  cut: 0,
  cleared: nothingCleared,
  epoch: 0,
  epochUser: -1,
  turn: -1,
  user: -1,
  needed: 0,
  limit: 0,
  stuck: 0,
  request: -1,
  lines: 0,
  opening: -1,
  beginning: 0,
  aged: nothingAged,
}

/** The numbers of the fold. The trials with agents chose them: bench/notes/recall.md, "Long turns of agents". */
const numbers = {
  /** The share of the room that stays full inside a turn. 0.5 loses a point of the lines that a step quotes, 0.7 reads a tenth more. */
  fullInside: 0.62,
  /** The most tokens that stay inside a turn: what a step quotes is seldom further back. */
  mostInside: 8192,
  /** The share of the room above which clearing alone does not do before a message. */
  fullAtMessage: 0.8,
  /** The tokens of a line of the journal, on average. */
  journalLine: 24,
  /** The longest first round of a turn that is sent with it, in least charges for a message. */
  opening: 2,
  /** The longest message that is expected, in least charges. */
  expected: 4,
}

/** What units cost, and the room for them. */
export interface Costs {
  readonly ledger: Ledger
  readonly room: Room
}

/** The costs, and what has aged before a unit. */
interface Folding extends Costs {
  readonly agedBefore: (unit: number) => Aged
}

const folding = (ledger: Ledger, room: Room): Folding => {
  return { ledger, room, agedBefore: createAgeing(ledger.transcript, room.systems) }
}

/**
 * Reads the stops from the fold's place up to the unit `end`. Something goes only when the room is full, and then so much that
 * nothing need go for many turns: long results and answers are cleared, oldest first; where that is not enough, the oldest
 * units are cut. In between a context only grows. Token counts alone decide.
 */
function advanceFold(costs: Folding, past: Fold, end: number): Fold {
  const { stops } = costs.ledger.transcript
  let fold = past
  while (stops[fold.next]! < end) fold = step(costs, fold, stops[fold.next]!)
  return fold
}

/** The most stops that are read before others get their turn: some milliseconds. */
const stopsInRow = 2048

function step(costs: Folding, past: Fold, stop: number): Fold {
  const next = past.next + 1
  const turn = past.turn + 1
  const isUser = stop === costs.ledger.transcript.turns[turn]
  return isUser ? atUser(costs, { ...past, next, turn, user: stop }) : atRound(costs, { ...past, next }, stop)
}

/** Makes room before a user message as if the room were full: what it asks for needs it. */
export function foldEarly({ ledger, room }: Costs, past: Fold, user: number): Fold {
  const early = { ...room, low: room.early, keepRounds: room.early }
  return atUser(folding(ledger, early), { ...past, turn: placeOf(ledger.transcript.turns, user), user }, true)
}

/**
 * A user message: makes room before it if it does not fit behind the conversation so far. After the first cut it is expected to
 * be as long as the two before it, so that a cut is known before the message comes. Before that nothing goes that still fits.
 */
function atUser(costs: Folding, fold: Fold, isEarly = false): Fold {
  const { room, ledger } = costs
  const { user, turn } = fold
  const { turns, firstUser } = ledger.transcript
  const isWhole = isStill(fold)
  const most = isWhole ? 0 : numbers.expected * room.least
  const cost = Math.max(room.least, lastCost(ledger, user))
  const spent = spentIn(costs, fold, user)
  const limit = isWhole ? room.whole : room.tail
  // Mostly there is room for any: after a restart all messages are read again.
  if (!isEarly && spent + Math.max(most, cost) <= limit) return fold
  const expected = (back: number) => Math.min(most, lastCost(ledger, turns[turn - back] ?? firstUser))
  const charge = user === firstUser ? 0 : Math.max(cost, expected(1), expected(2))
  const needed = spent + charge
  if (!isEarly && needed <= limit) return fold
  const aged = costs.agedBefore(user)
  const excess = needed - room.low - (aged.tokens - fold.aged.tokens)
  // The last exchange is what the message speaks of: a later one clears it.
  const to = exchangeStart(ledger.transcript, turn)
  const cleared = clear(costs, { ...fold, aged }, { from: fold.cut, to }, excess)
  const isFull = isEarly || spentIn(costs, cleared, user) + charge > numbers.fullAtMessage * limit
  const full = { needed, limit, epoch: user, epochUser: user }
  return isFull ? cutBefore(costs, cleared, charge, full) : moveCut(costs, cleared, fold.cut, full)
}

type Full = Pick<Fold, 'needed' | 'limit' | 'epoch' | 'epochUser'>

/** Keeps the newest turns that fit into the low-water mark, and as much of the last one as may stay. */
function cutBefore(costs: Costs, past: Fold, charge: number, full: Full): Fold {
  const { room, ledger } = costs
  const { user, turn, stuck } = past
  const { transcript } = ledger
  const { turns } = transcript
  const costFrom = (fold: Fold, from: number) =>
    sentCost(costs, fold, from, user) + charge + insideAt(costs, fold, from).beginning
  const last = Math.max(exchangeStart(transcript, turn), past.cut)
  const hasRounds = lastRoundBefore(transcript, user) >= last
  const low = room.low - stuck
  const most = Math.max(hasRounds ? room.keepRounds : room.keep, low)
  // A turn with rounds loses results, oldest first, before it goes: what was called and thought is short.
  const range = { from: last, to: user }
  const fold = hasRounds ? clear(costs, past, range, costFrom(past, last) - most) : past
  return moveCut(costs, fold, costFrom(fold, last) > most ? insideLast() : beforeLast(), full)

  function insideLast(): number {
    if (hasRounds) return last + firstPlace(user - last, more => costFrom(fold, last + more) <= most)
    // Of many user messages in a row the newest stay.
    const begin = placeOf(turns, last)
    return turns[begin + firstPlace(turn - begin, more => costFrom(fold, turns[begin + more]!) <= low)]!
  }

  function beforeLast(): number {
    let first = placeOf(turns, last)
    const fits = (from: number | undefined) =>
      from !== undefined && from >= fold.cut && costFrom(fold, from) <= low
    while (fits(turns[first - 1])) first -= 1
    return Math.min(last, turns[first] ?? last)
  }
}

/** A round: makes room inside a long turn, whose user message is protected and whose earlier rounds are not. */
function atRound(costs: Folding, fold: Fold, at: number): Fold {
  const { room, ledger } = costs
  const { turns } = ledger.transcript
  const { user } = fold
  const round = lastCost(ledger, at, room.inlineNotes)
  const needed = spentIn(costs, fold, at) + round
  const limit = fold.turn > 0 ? room.inside : room.single
  if (needed <= limit) return fold
  const goal = Math.min(Math.floor(limit * numbers.fullInside), numbers.mostInside)
  const costFrom = (one: Fold, from: number) =>
    sentCost(costs, one, from, at) +
    round +
    one.stuck -
    one.aged.tokens +
    insideAt(costs, one, from).beginning
  const aged = costs.agedBefore(at)
  const excess = needed - goal - (aged.tokens - fold.aged.tokens)
  const past = clear(costs, { ...fold, aged }, { from: fold.cut, to: user }, excess)
  let { cut } = past
  // Earlier turns go before the results of the open one, which it still works with.
  while (cut < user && costFrom(past, cut) > goal) cut = turns[placeOf(turns, cut + 1)] ?? user
  const cleared = clear(costs, past, { from: cut, to: at }, costFrom(past, cut) - goal)
  // Without room for another round like this one the next would cut again.
  if (costFrom(cleared, cut) + round > limit) while (cut < at && costFrom(cleared, cut) > goal) cut += 1
  return moveCut(costs, cleared, cut, { needed, limit, epoch: at, epochUser: user })
}

/** Clears in a range, oldest first, until enough tokens are saved. */
function clear({ ledger }: Costs, fold: Fold, range: UnitRange, wanted: number): Fold {
  const from = Math.max(range.from, fold.cleared.before)
  if (from >= range.to || wanted <= 0) return fold
  const saved = (more: number) => savedBetween(ledger, { before: from + more }, from, range.to)
  return { ...fold, cleared: { before: from + firstPlace(range.to - from, more => saved(more) >= wanted) } }
}

function moveCut(costs: Costs, fold: Fold, cut: number, full: Full): Fold {
  const stuck = fold.stuck + systemCost(costs.ledger, fold.cut, cut)
  return { ...fold, ...full, stuck, cut, ...insideAt(costs, fold, cut) }
}

/** What a cut needs of the turn that it lies in: nothing between two turns. The first user message is charged elsewhere. */
function insideAt(
  costs: Costs,
  fold: Fold,
  cut: number,
): Pick<Fold, 'request' | 'lines' | 'opening' | 'beginning'> {
  const { ledger, room } = costs
  const { turns, stops } = ledger.transcript
  const turn = placeOf(turns, cut)
  const request = turns[turn - 1] ?? -1
  if (request < 0 || turns[turn] === cut) return { request: -1, lines: 0, opening: -1, beginning: 0 }
  const place = placeOf(stops, request + 1)
  const lines = Math.min(room.lines, (placeOf(stops, cut) - place) * numbers.journalLine)
  const first = stops[place]!
  const firstCost = first < cut ? sentCost(costs, fold, first, first + 1) : 0
  const isShort = firstCost > 0 && firstCost <= numbers.opening * room.least
  const beginning = lines + costBetween(ledger, request, request + 1) + (isShort ? firstCost : 0)
  return { request, lines, opening: isShort ? first : -1, beginning }
}

/** What a unit costs while it is the last one, and so protected, whatever an earlier policy decides about it later. */
const lastCost = ({ transcript }: Ledger, unit: number, inlineNotes = false) =>
  costBetween(transcript, unit, unit + 1, inlineNotes)

/** Whether everything is still sent as it is. */
export const isStill = ({ cut, cleared, aged }: Fold): boolean =>
  cut === 0 && cleared.before === 0 && aged.count === 0

/**
 * The fold of a conversation as it is now. Earlier folds are remembered, so a turn costs a few additions. `rest` is called where
 * many stops are left to read: if it throws, the next call goes on there.
 */
export function foldTranscript(ledger: Ledger, room: Room, rest?: () => void): Fold {
  const { stops, units } = ledger.transcript
  const costs = folding(ledger, room)
  const { read, keep } = rememberRead(ledger, `fold ${JSON.stringify(room)}`, start)
  const settled = settledUnits(ledger)
  let fold = read
  for (;;) {
    const end = Math.min(settled, stops[fold.next + stopsInRow] ?? settled)
    fold = advanceFold(costs, fold, end)
    keep(fold, end)
    if (end === settled) return advanceFold(costs, fold, units.length)
    rest?.()
  }
}

/** The number of units that cannot grow: not a last round that waits for results, or a reply that may get a note. */
function settledUnits({ transcript: { units } }: Ledger): number {
  const last = units.at(-1)
  return last && last.kind !== 'user' && last.kind !== 'system' ? units.length - 1 : units.length
}

/** The tokens of what is sent of the conversation, up to a unit; the first user message is charged elsewhere. */
export function spentIn(costs: Costs, fold: Fold, end: number): number {
  const { cut, stuck, beginning, aged } = fold
  return sentCost(costs, fold, cut, end) + stuck + beginning - aged.tokens
}

/** The cost of units in a row, with lines for those that are cleared. */
function sentCost({ ledger, room }: Costs, { cleared }: Fold, from: number, to: number): number {
  if (from >= to) return 0
  const { transcript } = ledger
  const whole = costBetween(ledger, from, to, room.inlineNotes) + systemCost(ledger, from, to)
  const sent = whole - savedBetween(ledger, cleared, from, to)
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
