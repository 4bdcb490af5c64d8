import { remember } from '../conversation/remember.ts'
import { costBetween, type Transcript } from '../conversation/transcript.ts'
import { markerCost, unitCost } from '../draft/cost.ts'
import { journalRoom } from '../draft/cut-journal.ts'
import type { Frame } from '../draft/frame.ts'

/** The numbers that decide where a conversation is cut: the same numbers give the same cut. */
export interface Room {
  /** The room beside system prompt and tools, which all shares refer to. */
  readonly base: number
  /** The parts of it that are kept for digests, for the journal where tools were called, and for recalled entries. */
  readonly digests: number
  readonly journal: number
  readonly recall: number
  /** The most tokens of conversation while nothing has been cut. */
  readonly whole: number
  /** The most tokens of conversation after a cut. */
  readonly tail: number
  /** The most tokens that a cut leaves. */
  readonly low: number
  /** The least charge for a user message, so that short ones do not cut just before a long one. */
  readonly least: number
  /** The last exchange survives a cut if it costs at most this. */
  readonly keep: number
  /** Whether notes are sent with their replies, and cost there. */
  readonly inlineNotes: boolean
}

/** Where the conversation is cut, and since when. Numbers are units, except for tokens. */
export interface Fold {
  /** The number of stops read. */
  readonly next: number
  /** The first unit that is sent, besides protected ones; 0 while nothing is cut. */
  readonly cut: number
  /** The unit at which the cut fell, and the user message of its turn. */
  readonly epoch: number
  readonly epochUser: number
  /** The turn being read (an index into the turns), and its user message. */
  readonly turn: number
  readonly user: number
  /** Why the cut fell: the tokens to be sent, and the room for them. */
  readonly needed: number
  readonly limit: number
  /** Tokens of system messages before the cut: they are sent all the same. */
  readonly stuck: number
}

const start = { next: 0, cut: 0, epoch: 0, epochUser: -1, turn: -1, user: -1, needed: 0, limit: 0, stuck: 0 }

/**
 * Reads the stops from the fold's place up to the unit `end`. The cut moves only when the room is full, and so far that it
 * stays for many turns: between two cuts a context only grows. Token counts alone decide.
 */
function advanceFold(transcript: Transcript, room: Room, past: Fold, end: number): Fold {
  const { stops, turns } = transcript
  // A copy that is changed in place: after a restart there are as many turns as the conversation has.
  const fold = { ...past }
  while (stops[fold.next]! < end) {
    const at = stops[fold.next]!
    fold.next += 1
    if (at === turns[fold.turn + 1]) {
      fold.turn += 1
      fold.user = at
      atUser(transcript, room, fold, at)
    } else atRound(transcript, room, fold, at)
  }
  return fold
}

type Growing = { -readonly [Name in keyof Fold]: Fold[Name] }

function atUser(transcript: Transcript, room: Room, fold: Growing, at: number): void {
  const charge = at === transcript.firstUser ? 0 : Math.max(room.least, userCost(transcript, at))
  const needed = spanCost(transcript, fold.cut, at, room.inlineNotes) + fold.stuck + charge
  if (needed > limitOf(room, fold)) cutBefore(transcript, room, fold, at, needed, charge)
}

/** Apart, as it is seldom called: what is called for every turn is compiled sooner. */
function cutBefore(
  transcript: Transcript,
  room: Room,
  fold: Growing,
  at: number,
  needed: number,
  charge: number,
): void {
  let cut = at
  for (let turn = fold.turn - 1; turn > 0; turn--) {
    const user = transcript.turns[turn]!
    if (user < fold.cut) break
    const sum = spanCost(transcript, user, at, room.inlineNotes) + charge
    const isLastExchange = cut === at && sum <= room.keep
    if (sum + fold.stuck > room.low && !isLastExchange) break
    cut = user
  }
  cutAt(transcript, room, fold, needed, cut, at, at)
}

/** Cuts inside a long turn, whose user message is protected and whose earlier rounds are not. */
function atRound(transcript: Transcript, room: Room, fold: Growing, at: number): void {
  const { user } = fold
  const cost = (from: number) => spanCost(transcript, from, at + 1, room.inlineNotes) + fold.stuck
  const held = user > transcript.firstUser ? userCost(transcript, user) : 0
  const needed = cost(fold.cut) + (fold.cut > user ? held : 0)
  if (needed <= limitOf(room, fold)) return
  let cut = at
  // Cuts whole turns first; if the open turn alone is too large, its oldest rounds.
  if (user >= fold.cut && user > transcript.firstUser && cost(user) <= room.low) cut = user
  else while (cut - 1 > Math.max(user, fold.cut - 1) && cost(cut - 1) + held <= room.low) cut -= 1
  if (cut === user || cut > fold.cut) cutAt(transcript, room, fold, needed, cut, at, user)
}

/** The tokens of a user message, not of the first: of a long conversation the sums are known before the units. */
const userCost = (transcript: Transcript, user: number) => costBetween(transcript, user, user + 1)

const limitOf = (room: Room, { cut }: Fold) => (cut === 0 ? room.whole : room.tail)

function cutAt(
  transcript: Transcript,
  room: Room,
  fold: Growing,
  needed: number,
  cut: number,
  epoch: number,
  epochUser: number,
): void {
  const limit = limitOf(room, fold)
  fold.stuck += systemCost(transcript, fold.cut, cut)
  Object.assign(fold, { needed, limit, cut, epoch, epochUser })
}

/** The fold of a conversation as it is now. Earlier folds are remembered, so a turn costs a few additions. */
export function foldTranscript(transcript: Transcript, room: Room): Fold {
  const memory = remember(transcript, `fold ${JSON.stringify(room)}`, () => ({ fold: start as Fold }))
  memory.fold = advanceFold(transcript, room, memory.fold, settledUnits(transcript))
  return advanceFold(transcript, room, memory.fold, transcript.units.length)
}

/** The number of units that cannot grow: not a last round that waits for results, or a reply that may get a note. */
function settledUnits({ units }: Transcript): number {
  const last = units.at(-1)
  return last && last.kind !== 'user' && last.kind !== 'system' ? units.length - 1 : units.length
}

/** The cost of the units from one up to another; the first user message is charged elsewhere. */
export function spanCost(transcript: Transcript, from: number, to: number, inlineNotes: boolean): number {
  if (from >= to) return 0
  return costBetween(transcript, from, to, inlineNotes) + systemCost(transcript, from, to)
}

/** The cost of the system messages among the units from one up to another. */
const systemCost = ({ systemCostBefore }: Transcript, from: number, to: number) =>
  systemCostBefore[to]! - systemCostBefore[from]!

/** The shares of the room that are kept for recall and for digests, that a cut leaves, and that a last exchange may take. */
type Shares = Readonly<Record<'recall' | 'digests' | 'low' | 'keep', number>>

/**
 * Divides the window by maximum charges, not by the present cost of marker, notes, digests and recall: what varies from
 * turn to turn must not move the cut. System prompt and tools are rounded up for the same reason (a date in the prompt).
 */
export function divideRoom(frame: Frame, shares: Shares): Room {
  const { window, capacity, count, head, toolTokens, transcript, notes, noteBudget } = frame
  const step = Math.ceil(window / 16)
  const headTokens = head.reduce((sum, piece) => sum + piece.tokens, toolTokens)
  const base = Math.max(0, capacity - count.prompt - Math.ceil(headTokens / step) * step)
  const first = transcript.firstUser < 0 ? 0 : unitCost(frame, transcript.firstUser)
  const inlineNotes = notes === 'inline'
  const noteCharge = inlineNotes && transcript.notes.length > 0 ? noteBudget : 0
  const digests = Math.floor(base * shares.digests)
  const journal = transcript.stops.length > transcript.turns.length ? journalRoom(frame) : 0
  const whole = Math.max(0, base - first)
  const left = Math.max(0, whole - markerCost(frame) - noteCharge - digests)
  const apart = Math.min(left, Math.max(journal, Math.floor(base * shares.recall)))
  const tail = left - apart
  // The journal takes from recall, so that the first call of a tool does not move the cut.
  const recall = Math.max(0, apart - journal)
  return {
    base,
    digests,
    journal,
    recall,
    whole,
    tail,
    low: Math.floor(tail * shares.low),
    keep: Math.floor((tail + recall) * shares.keep),
    least: Math.floor(base / 32),
    inlineNotes,
  }
}
