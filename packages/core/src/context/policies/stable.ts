import { type OptionNames, refuseUnknown } from '../../log/error.ts'
import { ageSystems } from '../conversation/clearing.ts'
import { keepLatest } from '../conversation/remember.ts'
import { costBetween, meanTurn, type Transcript } from '../conversation/transcript.ts'
import { checkDigesters, digestLine } from '../digests/digest.ts'
import { type Digester, exchangeAt, isWhole } from '../digests/exchange.ts'
import { digestProgram } from '../digests/program.ts'
import { digestText } from '../digests/text.ts'
import { digestTools } from '../digests/tools.ts'
import { fixedCost, markerCost, noteCharge, textCost, unitCost } from '../draft/cost.ts'
import { cutJournal } from '../draft/cut-journal.ts'
import type { Draft, OwnDraft, Policy } from '../draft/draft.ts'
import type { Frame } from '../draft/frame.ts'
import type { Insertion, SpanFault } from '../draft/span.ts'
import { rightStart } from '../stable/by-right.ts'
import { type CutState, cutStateOf, isStill, spentIn, still } from '../stable/cut-state.ts'
import { divideRoom, type Shares } from '../stable/divide-room.ts'
import { type Costs, type Ledger, ledgerOf } from '../stable/ledger.ts'

/** Options of `stable`; those of `recall` go on from them. */
export interface StableOptions {
  /** After a cut the tail is at most this share of its room. Default 0.44. */
  readonly low?: number
  /** The share of the room for digests of what was cut. Default 0 for `stable`, 1/48 with recall. */
  readonly digests?: number
  /** Asked in order for the digest of an exchange that was cut. Default `[digestProgram, digestTools, digestText]`. */
  readonly digesters?: readonly Digester[]
}

export const stableNames: OptionNames<StableOptions> = { low: 1, digests: 1, digesters: 1 }

/** Cuts seldom and far, to a low-water mark, and else only appends: a prompt cache need not read the beginning again. */
export function stable(options: StableOptions = {}): Policy {
  refuseUnknown(options, stableNames)
  const cutStably = createStableCut(options, { recall: 0, exchanges: 3 })
  return { name: 'stable', apply: draft => cutStably.apply(draft, cutStably.find(draft)) }
}

const builtIn = createCutDigests()

/** Where a conversation is cut. */
export interface StableCut {
  readonly costs: Costs
  readonly cutState: CutState
}

/** The share of the room kept for recall, and how many of the last exchanges stay by right. */
type Claims = Pick<Shares, 'recall' | 'exchanges'>

/** The cut that `stable` and `recall` share: first it is found, then applied. */
export function createStableCut(options: StableOptions, claims: Claims) {
  const { low = 0.44, digests = 0, digesters } = options
  const cutDigests = digesters ? createCutDigests(digesters) : builtIn
  return { find, apply }

  function find(draft: Draft): StableCut {
    const { frame } = draft
    const room = divideRoom(frame, { ...claims, digests, low })
    const costs = { ...ledgerOf(draft), room }
    // What fits is never cut. Where it does not, the cut follows from all messages, as if it had not fitted before either.
    const fits = draft.tokens <= draft.capacity
    const cut = { costs, cutState: fits ? still : cutStateOf(costs, frame.rest) }
    frame.watch?.(cut)
    return cut
  }

  function apply<D extends Draft>(draft: D, { cutState, costs }: StableCut): D {
    if (isStill(cutState)) return draft
    const { room, decided } = costs
    const { frame } = draft
    const { movedAt, needed, limit } = cutState
    const right = Math.max(cutState.cut, latestRight(costs, cutState))
    const growth = Math.max(0, room.tail - spentIn(costs, cutState, draft.units.length))
    const request = draft.units[cutState.request]
    const isSent = request && hasRoomFor(frame, request.index, cutState)
    const opening = isSent ? cutState.opening : -1
    const cut = (draft as OwnDraft & D)
      .protect(isSent ? [request] : [], 'the request of rounds that are sent')
      .clear(cutState.cleared)
      .dropRange(0, opening, 'before the cut')
      .dropRange(opening + 1, cutState.cut, 'before the cut')
      .withCut({
        before: cutState.cut,
        at: movedAt,
        needed,
        limit,
        right: right < draft.units.length ? right : undefined,
        growth,
        turns: Math.floor(growth / meanTurn(frame.transcript)),
        recall: room.recall,
      })
    // A small window keeps no room for a journal alone: there it shares that of the digests.
    const shared = room.journal > 0 ? 0 : room.digests
    const lineRoom = request ? cutState.lines : room.journal + Math.floor(shared / 2)
    const journal = cutJournal(cut, cutState.cut, lineRoom, opening)
    const budget = room.digests - Math.min(shared, journal?.tokens ?? 0)
    const lines = cutDigests(draft, {
      cut: cutState.cut,
      budget,
      decided: decided.slice(0, cutState.cut),
    })
    const added = [lines, journal].filter(insertion => insertion !== undefined)
    const aged = new Map<number, string>()
    ageSystems(frame.transcript, movedAt, room.systems, aged)
    // Last, so that a system message that aged among other units keeps its own reason.
    return cut.insert(added, 'digested').age(aged)
  }
}

/** The first unit of what stays by right before the newest message of a user. */
function latestRight(costs: Costs, cutState: CutState): number {
  const { turns, latestUser: user } = costs.transcript
  if (turns.length === 0) return cutState.cut
  return rightStart(
    costs,
    { ...cutState, user, turn: turns.length - 1 },
    costBetween(costs, user, user + 1),
  )
}

/** Whether a unit fits beside all that is protected: the cut state ignores a last answer or system message, which may be long. */
function hasRoomFor(frame: Frame, unit: number, { aged }: CutState): boolean {
  const cost = fixedCost(frame) - aged + unitCost(frame, unit)
  return cost + markerCost(frame) + noteCharge(frame) <= frame.capacity
}

/** Characters of a line: many lines share a small room, and the first call or sentence is enough. */
const mostCharacters = 120

/** Where a conversation is cut, the tokens for digests, and what earlier policies decided about the units before the cut. */
interface CutPlace extends Pick<Ledger, 'decided'> {
  readonly cut: number
  readonly budget: number
}

/** Makes one message of lines for the newest exchanges before a cut. It stays the same until the next cut. */
function createCutDigests(
  digesters: readonly Digester[] = [digestProgram, digestTools, digestText],
) {
  checkDigesters(digesters)
  const latest = keepLatest<Transcript, Insertion | undefined>()
  return (draft: Draft, place: CutPlace) => {
    if (place.budget <= 0) return undefined
    const { transcript, count } = draft.frame
    const key = JSON.stringify([place, count.id])
    return latest(transcript, key, () => makeDigests(draft, place))
  }

  function makeDigests(draft: Draft, { cut, budget }: CutPlace): Insertion | undefined {
    const { frame, turns } = draft
    const lines: string[] = []
    const faults: SpanFault[] = []
    let from = cut
    let to = 0
    let tokens = textCost(frame, 'user', '')
    for (let turn = turns.findLastIndex(user => user < cut); turn >= 0; turn--) {
      // One that goes on behind the cut may have thousands of messages, which need not be read.
      if ((turns[turn + 1] ?? draft.units.length) > cut) continue
      const exchange = exchangeAt(frame.transcript, turn)
      if (!isWhole(draft, exchange)) continue
      const isRequestSent = exchange.from === frame.transcript.firstUser
      // Programs send a message of their own before the first one: of it there is nothing to tell.
      if (isRequestSent && exchange.messages.length === 0) continue
      const { line, problems } = digestLine(exchange, digesters, {
        max: mostCharacters,
        isRequestSent,
      })
      tokens += frame.count.text(`${line}\n`)
      if (tokens > budget) break
      lines.unshift(line)
      from = exchange.from
      to = Math.max(to, exchange.to)
      for (const problem of problems) faults.push({ unit: from, problem })
    }
    if (lines.length === 0) return undefined
    const why = 'the newest exchanges that were cut'
    // Inside a turn the lines stand before the turn's user message, to keep the order of the conversation.
    const before = turns.findLast(user => user <= cut) ?? cut
    return {
      part: 'digests',
      before,
      role: 'user',
      text: lines.join('\n'),
      why,
      of: [{ from, to }],
      faults,
    }
  }
}
