import {
  baseRoom,
  markerCost,
  noteCharge,
  roomBeside,
  systemsRoom,
  unitCost,
} from '../draft/cost.ts'
import { journalRoom } from '../draft/cut-journal.ts'
import type { Frame } from '../draft/frame.ts'
import { answersPrograms } from './answers-programs.ts'

/** The numbers that decide where a conversation is cut: the same numbers give the same cut. */
export type DividedRoom = Readonly<ReturnType<typeof divideRoom>>

/** The shares of the room that are kept for recall and for digests, and that a cut leaves; the exchanges that stay by right. */
export type Shares = Readonly<Record<'recall' | 'digests' | 'low' | 'exchanges', number>>

/** Divides the window by maximum charges, system prompt and tools rounded up: a date that changes must not move the cut. */
export function divideRoom(frame: Frame, shares: Shares) {
  const { window, transcript, notes, full } = frame
  const base = baseRoom(frame)
  const first = transcript.firstUser < 0 ? 0 : unitCost(frame, transcript.firstUser)
  const inlineNotes = notes === 'inline'
  const moved = noteCharge(frame)
  const ofDigests =
    shares.digests > 0 && answersPrograms(transcript) ? programLines : shares.digests
  const digests = Math.floor(base * ofDigests)
  const journal = transcript.stops.length > transcript.turns.length ? journalRoom(frame) : 0
  const whole = Math.max(0, base - first)
  const left = Math.max(0, whole - markerCost(frame) - moved - digests)
  const short = Math.min(shortBlock, Math.floor(base / 8))
  const forBlocks = shares.recall > 0 ? Math.max(short, Math.floor(base * shares.recall)) : 0
  const apart = Math.min(left, Math.max(journal, full ? 0 : forBlocks))
  const tail = left - apart
  const single = Math.max(
    0,
    roomBeside(frame, Math.ceil(window / 64)) - first - markerCost(frame) - moved,
  )
  const recallInside = Math.floor(base * insideShare)
  // The journal takes from recall, so that the first call of a tool does not move the cut.
  const recall = Math.max(0, apart - journal)
  return {
    /** The room beside system prompt and tools, which all shares refer to. */
    base,
    /** The parts of it that are kept for digests, for the journal where tools were called, and for recalled entries. */
    digests,
    journal,
    recall,
    /** The most tokens of conversation while nothing has been cut. */
    whole,
    /** The most tokens of conversation after a cut. */
    tail,
    /** The most tokens of conversation inside a turn, where rounds follow each other: they recall nothing. */
    inside: Math.max(0, single - digests - recallInside),
    /** The same in the first turn, which has nothing older than itself. */
    single: Math.max(0, single - recallInside),
    /** The tokens for what the turn's request has recalled. */
    recallInside,
    /** The most tokens for lines of rounds that were cut from the open turn. */
    lines: Math.floor(base * linesShare),
    /** The most tokens for system messages that stand in the conversation. */
    systems: systemsRoom(frame),
    /** The most tokens that a cut leaves beside what stays by right, and one that makes room for what a message asks for. */
    low: Math.floor(tail * (full ? 1 : shares.low)),
    early: Math.floor(tail * shares.low),
    /** Where turns are short, the most tokens that a cut leaves. */
    high: Math.floor(tail * (full ? 1 : Math.max(shares.low, highWater))),
    /** How many of the last exchanges stay by right, and their most tokens: recall takes nothing from them. */
    exchanges: shares.exchanges,
    byRight: tail + recall,
    /** The least tokens of a user's message that counts as a pasted text. */
    pasted: Math.floor(base * pastedShare),
    /** The last exchange survives a cut up to this cost; one with rounds, which go on in the next turn, up to `keepRounds`. */
    keep: tail + recall,
    keepRounds: Math.floor((tail + recall) / 2),
    /** The longest first round of a turn that is sent with it. */
    opening: Math.floor(base / 16),
    /** Whether notes are sent with their replies, and cost there. */
    inlineNotes,
  }
}

/** The share of the room for lines where the answers are programs: ten exchanges with a lamp are in view, whole or as a line. */
const programLines = 0.3

/** The highest low-water mark: above it short turns would be cut after a few of them. */
const highWater = 0.8

/** A message of this share of the room is a text that is talked about: a contract, a list, a file. */
const pastedShare = 0.15

/** A block of a sentence or two always has this room (less in a small window), so that no short answer needs a cut. */
const shortBlock = 96

/** The share of the room that a long turn keeps for recall. */
const insideShare = 1 / 32

/** The share of the room that lines of cut rounds may take. */
const linesShare = 0.2
