import { type Aged, ageSystems, nothingAged } from '../conversation/age-systems.ts'
import { type Cleared, isCleared, nothingCleared, savedBetween, savingSum } from '../conversation/clearing.ts'
import { exchangeStart } from '../conversation/exchange-start.ts'
import { firstPlace, placeOf } from '../conversation/first-place.ts'
import { findReferred } from '../conversation/references.ts'
import { costBetween } from '../conversation/transcript.ts'
import { lastRoundBefore } from '../draft/cut-journal.ts'
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
  /** System messages that are not sent any more, and their tokens. */
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

/** The share of the room that stays full inside a turn, and the most tokens: what a step quotes is seldom further back. */
const down = 0.62
const mostInside = 8192

/** The share of the room above which clearing alone does not do before a message. */
const fullAtMessage = 0.8

/**
 * Reads the stops from the fold's place up to the unit `end`. Something goes only when the room is full, and then so much that
 * nothing need go for many turns: long results and answers are cleared, oldest first; where that is not enough, the oldest
 * units are cut. In between a context only grows. Token counts alone decide.
 */
function advanceFold(ledger: Ledger, room: Room, past: Fold, end: number): Fold {
  const { stops, turns } = ledger.transcript
  const { fold, atUser, atRound } = createFolding(ledger, room, past)
  while (stops[fold.next]! < end) {
    const at = stops[fold.next]!
    fold.next += 1
    if (at === turns[fold.turn + 1]) {
      fold.turn += 1
      fold.user = at
      atUser(at)
    } else atRound(at)
  }
  return fold
}

/** Makes room before a user message as if the room were full: what it asks for needs it. */
export function foldEarly(ledger: Ledger, room: Room, past: Fold, at: number): Fold {
  const { fold, atUser } = createFolding(
    ledger,
    { ...room, low: room.early, keepRounds: room.early },
    {
      ...past,
      turn: placeOf(ledger.transcript.turns, at),
      user: at,
    },
  )
  atUser(at, true)
  return fold
}

/** The steps of a fold, and the fold that they change: a copy, as after a restart there are as many stops as the conversation has. */
function createFolding(ledger: Ledger, room: Room, past: Fold) {
  const { stops, turns, firstUser } = ledger.transcript
  const fold: { -readonly [Name in keyof Fold]: Fold[Name] } = { ...past }
  return { fold, atUser, atRound }

  /**
   * A user message: makes room before it if it does not fit behind the conversation so far. After the first cut it is expected to
   * be as long as the two before it, so that a cut is known before the message comes. Before that nothing goes that still fits.
   */
  function atUser(at: number, isEarly = false): void {
    const isWhole = isStill(fold)
    const most = isWhole ? 0 : 4 * room.least
    const own = Math.max(room.least, ownCost(at))
    const spent = spentIn(ledger, room, fold, at)
    const limit = isWhole ? room.whole : room.tail
    // Mostly there is room for any: after a restart all messages are read again.
    if (!isEarly && spent + Math.max(most, own) <= limit) return
    const expected = (back: number) => Math.min(most, ownCost(turns[fold.turn - back] ?? firstUser))
    const charge = at === firstUser ? 0 : Math.max(own, expected(1), expected(2))
    const needed = spent + charge
    if (!isEarly && needed <= limit) return
    // The last exchange is what the message speaks of: a later one clears it.
    clear(fold.cut, exchangeStart(ledger.transcript, fold.turn), needed - room.low - age(at))
    const isFull = isEarly || spentIn(ledger, room, fold, at) + charge > fullAtMessage * limit
    moveCut(isFull ? firstToKeep(at, charge) : fold.cut, { needed, limit, epoch: at, epochUser: at })
  }

  /** The first unit of those that stay: the newest turns that fit into the low-water mark, and as much of the last one as may stay. */
  function firstToKeep(at: number, charge: number): number {
    const costFrom = (from: number) =>
      sentCost(ledger, room, fold, from, at) + charge + insideAt(from).beginning
    const last = Math.max(exchangeStart(ledger.transcript, fold.turn), fold.cut)
    const hasRounds = lastRoundBefore(ledger.transcript, at) >= last
    const most = Math.max(hasRounds ? room.keepRounds : room.keep, room.low - fold.stuck)
    // A turn with rounds loses results, oldest first, before it goes: what was called and thought is short.
    if (hasRounds) clear(last, at, costFrom(last) - most)
    if (costFrom(last) > most) {
      if (hasRounds) return last + firstPlace(at - last, more => costFrom(last + more) <= most)
      // Of many user messages in a row the newest stay.
      const begin = placeOf(turns, last)
      const low = room.low - fold.stuck
      return turns[begin + firstPlace(fold.turn - begin, more => costFrom(turns[begin + more]!) <= low)]!
    }
    let cut = last
    for (let turn = placeOf(turns, last) - 1; turn >= 0; turn--) {
      const earlier = turns[turn]!
      if (earlier < fold.cut || costFrom(earlier) + fold.stuck > room.low) break
      cut = earlier
    }
    return cut
  }

  /** A round: makes room inside a long turn, whose user message is protected and whose earlier rounds are not. */
  function atRound(at: number): void {
    const { user } = fold
    const own = ownCost(at, room.inlineNotes)
    const cost = (from: number) =>
      sentCost(ledger, room, fold, from, at) + own + fold.stuck - fold.aged.tokens + insideAt(from).beginning
    const needed = cost(fold.cut)
    const limit = fold.turn > 0 ? room.inside : room.single
    if (needed <= limit) return
    const goal = Math.min(Math.floor(limit * down), mostInside)
    clear(fold.cut, user, needed - goal - age(at))
    let { cut } = fold
    // Earlier turns go before the results of the open one, which it still works with.
    while (cut < user && cost(cut) > goal) cut = turns[placeOf(turns, cut + 1)] ?? user
    clear(cut, at, cost(cut) - goal)
    // Without room for another round like this one the next would cut again.
    if (cost(cut) + own > limit) while (cut < at && cost(cut) > goal) cut += 1
    moveCut(cut, { needed, limit, epoch: at, epochUser: user })
  }

  /** Clears between two units, oldest first, until enough tokens are saved. */
  function clear(start: number, end: number, wanted: number): void {
    const from = Math.max(start, fold.cleared.before)
    if (from >= end || wanted <= 0) return
    const saved = (more: number) => savedBetween(ledger, { before: from + more }, from, end)
    fold.cleared = { before: from + firstPlace(end - from, more => saved(more) >= wanted) }
  }

  /** Lets system messages before a unit age. Returns the tokens that are saved. */
  function age(at: number): number {
    const before = fold.aged.tokens
    fold.aged = ageSystems(ledger.transcript, at, room.systems)
    return fold.aged.tokens - before
  }

  function moveCut(cut: number, moved: Pick<Fold, 'needed' | 'limit' | 'epoch' | 'epochUser'>): void {
    fold.stuck += systemCost(ledger, fold.cut, cut)
    Object.assign(fold, moved, { cut }, insideAt(cut))
  }

  /** What a cut needs of the turn that it lies in: nothing between two turns. The first user message is charged elsewhere. */
  function insideAt(cut: number): Pick<Fold, 'request' | 'lines' | 'opening' | 'beginning'> {
    const turn = placeOf(turns, cut)
    const request = turns[turn - 1] ?? -1
    if (request < 0 || turns[turn] === cut) return { request: -1, lines: 0, opening: -1, beginning: 0 }
    const place = placeOf(stops, request + 1)
    const lines = Math.min(room.lines, (placeOf(stops, cut) - place) * journalTokens)
    const first = stops[place]!
    const firstCost = first < cut ? sentCost(ledger, room, fold, first, first + 1) : 0
    const isShort = firstCost > 0 && firstCost <= 2 * room.least
    const beginning = lines + costBetween(ledger, request, request + 1) + (isShort ? firstCost : 0)
    return { request, lines, opening: isShort ? first : -1, beginning }
  }

  /** What a unit costs while it is the last one, and so protected, whatever an earlier policy decides about it later. */
  function ownCost(unit: number, inlineNotes = false): number {
    return costBetween(ledger.transcript, unit, unit + 1, inlineNotes)
  }
}

/** Whether everything is still sent as it is. */
export const isStill = ({ cut, cleared, aged }: Fold): boolean =>
  cut === 0 && cleared.before === 0 && aged.units.size === 0

/** The fold of a conversation as it is now. Earlier folds are remembered, so a turn costs a few additions. */
export function foldTranscript(ledger: Ledger, room: Room): Fold {
  const { read, keep } = rememberRead(ledger, `fold ${JSON.stringify(room)}`, start)
  const settled = settledUnits(ledger)
  const fold = advanceFold(ledger, room, read, settled)
  keep(fold, settled)
  return advanceFold(ledger, room, fold, ledger.transcript.units.length)
}

/** The number of units that cannot grow: not a last round that waits for results, or a reply that may get a note. */
function settledUnits({ transcript: { units } }: Ledger): number {
  const last = units.at(-1)
  return last && last.kind !== 'user' && last.kind !== 'system' ? units.length - 1 : units.length
}

/** The tokens of what is sent of the conversation, up to a unit; the first user message is charged elsewhere. */
export function spentIn(ledger: Ledger, room: Room, fold: Fold, end: number): number {
  const { cut, stuck, beginning, aged } = fold
  return sentCost(ledger, room, fold, cut, end) + stuck + beginning - aged.tokens
}

/** The cost of units in a row, with lines for those that are cleared. */
function sentCost(
  ledger: Ledger,
  { inlineNotes }: Room,
  { cleared }: Fold,
  from: number,
  to: number,
): number {
  if (from >= to) return 0
  const { transcript } = ledger
  const whole = costBetween(ledger, from, to, inlineNotes) + systemCost(ledger, from, to)
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

/** The tokens of a line of the journal, on average. */
const journalTokens = 24
