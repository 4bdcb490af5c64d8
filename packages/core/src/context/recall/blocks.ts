import { recallTitle, toDay } from '../../log/texts.ts'
import { neutralizeNotes } from '../../notes/neutralize.ts'
import { firstPlace, placeOf } from '../conversation/first-place.ts'
import { keepLatest } from '../conversation/remember.ts'
import { filesIn, findNamedFiles } from '../conversation/touched.ts'
import { costBetween, exchangeStart } from '../conversation/transcript.ts'
import { saidIn } from '../conversation/unit.ts'
import { textCost } from '../draft/cost.ts'
import { lastRoundBefore } from '../draft/cut-journal.ts'
import type { Frame } from '../draft/frame.ts'
import type { Insertion } from '../draft/span.ts'
import { rightStart } from '../stable/by-right.ts'
import { type CutState, cutEarly, isStill, spentIn } from '../stable/cut-state.ts'
import { type Costs, rememberRead } from '../stable/ledger.ts'
import { chooseBlock, type Search } from './choose-block.ts'
import { indexTranscript } from './index-transcript.ts'
import { type Asking, type Effort, type Judgement, judge, type Question } from './judge.ts'
import { findNamedThings } from './named-things.ts'
import type { RankedIndex } from './recall-index.ts'
import { termsOf, withoutLabel, wordsOf } from './terms.ts'

/** The recalled units for one user message. */
interface ExplainedBlock extends NonNullable<ReturnType<typeof chooseBlock>> {
  /** Why each unit was recalled, and the unit that has the words: itself, or one beside it. */
  readonly reasons: readonly { readonly why: string; readonly near?: number }[]
}
type RecallBlocks = readonly ExplainedBlock[]

/** What the user messages since the cut have recalled, as far as they were read. */
interface BlockProgress {
  /** The next turn to read. */
  readonly next: number
  /** The cut, where a block that needs more room has moved it. */
  readonly early?: CutState | undefined
  readonly blocks: RecallBlocks
}

/** A message that asks this strongly takes the room of other blocks, and that of the running talk if half of it does not fit. */
const needy = 5

/** Where recall works: the cut, the room, and how much is recalled. */
export interface RecallPlace {
  readonly frame: Frame
  readonly costs: Costs
  readonly cutState: CutState
  readonly effort: Effort
}

/**
 * The blocks of a context: one for each user message since the cut that asked for something old. A block stays where it
 * is until the next cut, or until a later one has no room: so the prompt's beginning grows and is hardly ever rewritten. Only
 * the turns since the cut are ranked, so a cold start is cheap too. Rounds ask for nothing: a block for one would stand before
 * the request, and all rounds would be read again.
 */
export function recallBlocks({ frame, costs, cutState: natural, effort }: RecallPlace) {
  if (isStill(natural)) return { cutState: natural, blocks: [] as readonly Insertion[] }
  const { room } = costs
  const { transcript } = frame
  const { turns } = transcript
  const { cut, movedAt, movedAtUser } = natural
  // The title as a message of its own is the least that a block costs.
  const headCost = textCost(frame, 'user', recallTitle) + 1
  const longestDay = frame.count.text(`${toDay(1_696_032_000_000)}\n`)
  const key = `blocks ${JSON.stringify([room, effort, cut, movedAt, headCost])}`
  const memory = rememberRead<BlockProgress>(costs, key, {
    next: placeOf(turns, movedAtUser),
    blocks: [],
  })
  let progress = memory.read
  while (progress.next < turns.length) {
    const { next } = progress
    progress = { ...atUser(afterRounds(progress), turns[next]!), next: next + 1 }
    memory.keep(progress, turns[next]! + 1)
  }
  const { early = natural, blocks } = afterRounds(progress)
  return { cutState: early, blocks: blocks.map(block => renderBlock(frame, block)) }

  function atUser({ early, blocks }: BlockProgress, at: number): Omit<BlockProgress, 'next'> {
    const { tokens, from } = transcript.units[at]!
    const { text } = transcript.entries[from]!.message
    const moved = early && isOwedMore(early, at, tokens) ? undefined : early
    const cutState = moved ?? natural
    const freeIn = (one: CutState) => freeAt(one, Math.max(at, one.movedAt)) - tokens
    const free = freeIn(cutState)
    const kept = total(blocks) > free ? [] : blocks
    const search = searchFor(cutState, at, text, free)
    // First whatever the room: a file that is named may take all of it.
    const block = choose({ ...search, free: Number.POSITIVE_INFINITY }, kept)
    if (!block || total(kept) + block.tokens <= free)
      return { early: moved, blocks: added(kept, block) }
    const share = Math.max(0, free - total(kept)) / block.tokens
    // A cut inside the message's own turn is further already.
    const isWorth = isWorthCutting(search, share)
    const isThing = !isWorth && search.things.some(({ unit }) => block.units.includes(unit))
    // A cut inside the message's own turn is further already.
    const isAhead = cutState.cut <= at && (isThing || isWorth)
    // A thing that is named in running talk takes nothing of what the tail would have just said.
    const exchanges = isThing ? room.exchanges + 1 : exchangesLeft(search.asking)
    const further = isAhead ? cutEarly(costs, cutState, at, exchanges) : cutState
    if (freeIn(further) <= (isThing ? block.tokens : free))
      return { early: moved, blocks: ask(kept, search) }
    // All of the running talk is read again, so nothing is gained by keeping other blocks.
    return { early: further, blocks: ask([], searchFor(further, at, text, freeIn(further))) }
  }

  /** How many of the last exchanges a message leaves that asks for more room than is free. */
  function exchangesLeft(asking: Asking): number {
    if (asking === 'ours') return 1
    return asking === 'plain' ? Math.min(2, room.exchanges) : room.exchanges
  }

  /** Whether more stays by right before a later message than an early cut has left: then that cut is taken back. */
  function isOwedMore(early: CutState, at: number, charge: number): boolean {
    const right = rightStart(costs, { ...natural, user: at, turn: placeOf(turns, at) }, charge)
    return Math.max(natural.cut, right) < Math.max(early.cut, early.cleared.before)
  }

  /** A turn's block stays for its rounds while there is room. That only shrinks, so the last of thousands of rounds decides. */
  function afterRounds(past: BlockProgress): BlockProgress {
    const { early = natural, blocks, next } = past
    const user = turns[next - 1] ?? -1
    const round = lastRoundBefore(transcript, turns[next] ?? transcript.units.length)
    if (round < user || total(blocks) <= freeAt(early, round + 1)) return past
    const newest = blocks.filter(block => block.user >= user)
    return { ...past, blocks: total(newest) <= room.recallInside ? newest : [] }
  }

  /** What a message asks for, and the tokens that are free for it. */
  function searchFor(cutState: CutState, user: number, text: string, free: number) {
    const index = indexTranscript(transcript, user)
    const named = findNamedFiles(transcript, text, user)
    const files = filesIn(transcript.units, Math.max(cutState.cut, cutState.cleared.before), user)
    const turn = placeOf(transcript.turns, user)
    // What does not fit of it is not sent, and may be asked for.
    const fits = firstPlace(user, place => costBetween(costs, place, user) <= room.keep)
    const exchange = Math.max(fits, exchangeStart(transcript, turn))
    const question = {
      transcript,
      ledger: costs,
      index,
      effort,
      text,
      user,
      exchange,
      cutState,
      files,
      named,
    }
    const dayCost = dayOf(frame, user) === '' ? 0 : longestDay
    const prices = { base: room.base, free, headCost, dayCost, watch: frame.watch }
    const things = findNamedThings(transcript, index, text, user)
    return { ...question, ...judge(question), ...prices, things }
  }

  /** The block for a message beside others, if it asks for something that is gone. */
  function choose(search: Search, others: RecallBlocks, most = Number.POSITIVE_INFINITY) {
    const recalled = new Set(others.flatMap(block => block.units))
    const block = chooseBlock(search, recalled, most)
    return block && { ...block, reasons: reasonsFor(search, block.units) }
  }

  /** Adds a block beside others. Asked for weakly it takes what is free; else the newest of the others go until it has room. */
  function ask(kept: RecallBlocks, search: Search): RecallBlocks {
    const { free } = search
    const others = isNeedy(search) ? kept : []
    for (let left = others; left.length > 0; left = left.slice(0, -1)) {
      const block = choose(search, left)
      if (!block || total(left) + block.tokens <= free) return added(left, block)
    }
    const left = isNeedy(search) ? [] : kept
    return added(left, choose(search, left, free - total(left)))
  }

  /** The room for blocks when the units before `end` are sent. Lines of a turn that is cut inside replace its journal. */
  function freeAt(cutState: CutState, end: number): number {
    const journal = cutState.request < 0 ? 0 : room.journal
    return room.tail + room.recall + journal - spentIn(costs, cutState, end)
  }
}

/** Whether what a message asks for is worth that something else goes: it asks strongly, or names a file. */
const isNeedy = ({ strength, named = [] }: Search) => strength >= needy || named.length > 0

/** Whether the running talk is cut early, and read again, for a message: the less of its block fits, the less it must ask. */
const isWorthCutting = ({ strength, asking, named = [] }: Search, share: number) =>
  (asking !== 'nothing' && strength >= needy * (0.5 + share)) || named.length > 0

const added = (blocks: RecallBlocks, block?: ExplainedBlock): RecallBlocks =>
  block ? [...blocks, block] : blocks

const total = (blocks: RecallBlocks) => blocks.reduce((sum, block) => sum + block.tokens, 0)

const latest = keepLatest<ExplainedBlock, Insertion>()

/** A block as a message: a title, then every recalled entry with its place and its speaker. */
function renderBlock(frame: Frame, block: ExplainedBlock): Insertion {
  return latest(block, `${[frame.origin, frame.count.id]}`, () => {
    const { user: before, units, reasons } = block
    const text = [
      recallTitle,
      ...units.flatMap((unit, n) => datedLines(frame, unit, units[n - 1])),
    ].join('\n')
    const tokens = textCost(frame, 'user', text)
    const why = 'the message after it asks for something older'
    const of = units.map((unit, place) => ({ from: unit, to: unit + 1, ...reasons[place]! }))
    return { part: 'recall', before, role: 'user', text, tokens, why, of, beside: true }
  })
}

/** The lines of a unit, after its day if that is another than the day of the unit before it. */
function datedLines(frame: Frame, unit: number, before: number | undefined): readonly string[] {
  const day = dayOf(frame, unit)
  const isKnown = day === '' || (before !== undefined && day === dayOf(frame, before))
  return isKnown ? unitLines(frame, unit) : [day, ...unitLines(frame, unit)]
}

/** The day of a unit; empty without a time. */
function dayOf({ transcript }: Frame, unit: number): string {
  const { time } = transcript.entries[transcript.units[unit]!.from]!.message
  return time === undefined ? '' : toDay(time)
}

function unitLines({ transcript, origin }: Frame, index: number): readonly string[] {
  const unit = transcript.units[index]!
  const lines: string[] = []
  for (let at = unit.from; at < unit.to; at++) {
    const { message } = transcript.entries[at]!
    const { role, results } = message
    const stray = unit.strays.get(at)
    if (role === 'assistant_note' || (stray && !stray.results)) continue
    const tool = role === 'tool' && results[0]?.name
    const speaker = tool ? `tool ${tool}` : role
    const words = saidIn(message, call => `→ ${call.name}(${call.arguments})`)
      .filter(Boolean)
      .join('\n')
    // Names and arguments are quoted here: in their own messages they are not text.
    lines.push(neutralizeNotes(`#${origin + at} ${speaker}: ${words}`))
  }
  return lines
}

const mostWords = 6

/** Why each unit was recalled: in the words of the message that asked for it, or because it means the same. */
export function reasonsFor(
  {
    transcript,
    index,
    text,
    user,
    terms,
    things = [],
  }: Question & Judgement & Partial<Pick<Search, 'things'>>,
  units: readonly number[],
) {
  const words = surfaceWords(index, text)
  const wanted = terms.map(([id]) => id).filter(id => words.has(id))
  const list = (ids: readonly number[]) => {
    const shown = ids.slice(0, mostWords).map(id => words.get(id)!)
    // A character says nothing beside the pair that it stands in.
    const whole = shown.filter(word => !shown.some(other => other !== word && other.includes(word)))
    return whole.join(', ') + (ids.length > mostWords ? ' …' : '')
  }
  return units.map(unit => {
    const thing = things.find(one => one.unit === unit)
    if (thing) return { why: `named again: ${thing.name}` }
    const meant = transcript.meaning?.why(user, unit)
    if (meant) return { why: meant }
    for (const near of [unit, unit - 1, unit + 1, unit - 2, unit + 2]) {
      if (near >= user || index.sessions[near] !== index.sessions[unit]) continue
      const matches = wanted.filter(id => index.has(near, id))
      if (matches.length > 0) {
        const where = near === unit ? '' : 'stands beside what was '
        return { near, why: `${where}asked for: ${list(tellingTerms(index, matches, user))}` }
      }
    }
    return { why: `from a session about what was asked: ${list(wanted)}` }
  })
}

/** Those of some terms that explain most: words that are much more common than the rarest of them explain nothing beside it. */
export function tellingTerms(
  index: RankedIndex,
  ids: readonly number[],
  n: number,
): readonly number[] {
  const least = ids.reduce((rarest, id) => Math.min(rarest, index.frequency(id, n)), n)
  return ids.filter(id => index.frequency(id, n) <= 8 * least)
}

/** The words of the message by their terms. */
function surfaceWords(index: RankedIndex, text: string): Map<number, string> {
  const words = new Map<number, string>()
  for (const word of wordsOf(withoutLabel(text))) {
    for (const term of termsOf(word)) {
      const id = index.vocabulary.get(term)
      if (id !== undefined && !words.has(id)) words.set(id, term.length < 3 ? term : word)
    }
  }
  return words
}
