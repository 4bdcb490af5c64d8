import { InvalidOptionError, showValue } from '../../log/error.ts'
import { isCleared } from '../conversation/clearing.ts'
import { keepLatest } from '../conversation/remember.ts'
import { touchesOne } from '../conversation/touched.ts'
import type { Scores, Transcript } from '../conversation/transcript.ts'
import type { CutState } from '../stable/cut-state.ts'
import { isOpen, type Ledger } from '../stable/ledger.ts'
import { isFollowUp, isName, isPlain, isQuestion } from './asking.ts'
import { comesAfterPause } from './index-transcript.ts'
import { type Best, isPersonal, namesTheOld } from './naming.ts'
import { bestFirst, type Ranking, rank } from './rank.ts'
import type { RankedIndex } from './recall-index.ts'
import { termsOf, withoutLabel, wordsOf } from './terms.ts'

/** How well the past answers a message. */
export interface Judgement extends Ranking {
  /** The best score of a unit before the cut. */
  readonly best: number
  /** How strongly the message asks for something old; from 1 on something is recalled. */
  readonly strength: number
  /** The largest block for it, as a share of the room. */
  readonly most: number
  readonly asking: Asking
}

/** How a message asks: not at all, in passing, plainly, or plainly for something of ours. */
export type Asking = 'nothing' | 'passing' | 'plain' | 'ours'

/** A user message, its text, and what it is asked of. */
export interface Question {
  readonly transcript: Transcript
  readonly ledger: Ledger
  readonly index: RankedIndex
  readonly effort: Effort
  readonly text: string
  readonly user: number
  /** The unit at which the exchange before the message begins. */
  readonly exchange: number
  /** Whether the message begins its conversation. */
  readonly isFirst?: boolean
  readonly cutState: Pick<CutState, 'cut' | 'cleared' | 'request'>
  /** The files that stand in view, which are not recalled unless the message names one: an edit of it in view is not enough. */
  readonly files: ReadonlySet<number>
  /** Units with the whole text of a file that the message names. */
  readonly named?: readonly number[]
}

/** No old entry covers all that a message with more terms says: its last parts that ask are also ranked by themselves. */
const longMessage = 25

/** Share of the room that a block gets for each multiple of the gate above the first. */
export const slope = 0.25

/** How much a part adds to the scores, and how strongly it can ask: for a sixth of the room. */
const partWeight = 0.5
const partMost = 1 + 1 / 6 / slope

/** How much more a message weighs that asks in passing, that asks plainly, and that asks plainly for something of ours. */
const inPassingWeight = 2.5
const plainWeight = 3
const oursWeight = 8

/** What goes on with a session weighs less than what comes after a pause, or without times: most of it is still in view. */
const ongoingWeight = 0.7
const afterPauseWeight = 1.5

/** The additional share of the room that a plain question for something of ours may take. */
const oursExtraShare = 0.3

const latest = keepLatest<Transcript, ReturnType<typeof rank>>()

/** Ranks the past for a user message. Not again in further rounds of its turn, though they may move the cut. */
function rankFor({ transcript, index, user }: Question, text: string) {
  return latest(transcript, `${user}`, () => {
    const isLong = new Set(termsOf(text)).size > longMessage
    return rank(index, text, { n: user, parts: isLong ? lastQuestions(text) : [] })
  })
}

/** Compares the best of the past for a user message with what is in view. */
export function judge(question: Question): Judgement {
  const { user, transcript, effort, named = [] } = question
  const text = withoutLabel(question.text)
  const byMeaning = transcript.meaning !== undefined
  if (named.length === 0 && isFollowUp({ ...question, byMeaning })) return nothingAsked
  const { parts, ...whole } = rankFor(question, text)
  const sessionWeight = comesAfterPause(transcript, user) ? afterPauseWeight : ongoingWeight
  const isPlainly = isPlain(text)
  const isOurs = isPlainly && isOfUs(question, text)
  const weight = isOurs
    ? oursWeight
    : isPlainly
      ? plainWeight
      : sessionWeight * (isQuestion(text) ? inPassingWeight : 1)
  let scores = transcript.meaning?.add(user, whole) ?? whole.scores
  const matches = bestOf(question, scores)
  let best = matches.old
  // What means the same need not share a word.
  const isNamed =
    named.length > 0 ||
    byMeaning ||
    namesTheOld(
      question,
      { text, firstText: firstTextOf(transcript) },
      matches,
      bestOld(question, scores),
    )
  if (!isNamed) return nothingAsked
  let strength = weigh(question, matches, whole.whole, weight)
  // The whole message orders the recalled units; its parts also open the gate, but only a little.
  for (const part of parts) {
    const partStrength = weigh(
      question,
      bestOf(question, part.scores),
      part.whole,
      plainWeight * sessionWeight,
    )
    if (partStrength < 1) continue
    strength = Math.max(strength, Math.min(partStrength, partMost))
    // What only the meaning has found stands behind what the words have.
    const sum = (value: number, at: number) =>
      value + Math.round(partWeight * (part.scores.values[at] ?? 0))
    scores = { ...scores, values: scores.values.map(sum) }
    best = bestOf(question, scores).old
  }
  const asking = isOurs ? 'ours' : isPlainly ? 'plain' : isQuestion(text) ? 'passing' : 'nothing'
  return {
    ...whole,
    scores,
    best,
    strength,
    most: effort.block + (isOurs ? oursExtraShare : 0),
    asking,
  }
}

const firstTextOf = ({ units, entries, firstUser }: Transcript): string =>
  firstUser < 0 ? '' : entries[units[firstUser]!.from]!.message.text

/** What a message asks for that names nothing old. One that only follows up is not even ranked. */
const nothingAsked: Judgement = {
  scores: { units: [], values: new Float64Array() },
  whole: 0,
  terms: [],
  best: 0,
  strength: 0,
  most: 0,
  asking: 'nothing',
}

/** The last three sentences or clauses near a message's end that ask. Shorter ones would match anything. */
function lastQuestions(text: string): readonly string[] {
  const parts = text.slice(-600).split(/(?<=[.!?…;:。！？；：؟\n])/)
  return parts.filter(part => part.length > 20 && isQuestion(part)).slice(-3)
}

/** Whether a question is about the people who talk, or names what was said before: others ask for what the model knows. */
function isOfUs({ index, user }: Question, text: string): boolean {
  const isSaid = (word: string) =>
    termsOf(word).some(term => index.frequency(index.vocabulary.get(term) ?? -1, user) > 0)
  // The first letter is always a capital.
  return isPersonal(text) || wordsOf(text.slice(1)).some(word => isName(word) && isSaid(word))
}

/** An imagined entry in view has this share of the message's words, so that a message about something new asks for nothing. */
const cover = 0.7

/** How strongly a message, or a part of it, asks. */
function weigh({ effort }: Question, { old, seen }: Best, whole: number, weight: number): number {
  return (old * weight) / (effort.gate * Math.max(1, seen, Math.round(cover * whole)))
}

/** About the most by which neighbours, session and priors lift the score of an entry. */
const lift = 4

/** Whether a message can ask for an entry with this share of its words, at best. Spares rankings that could bring nothing. */
export function mayAsk(text: string, share: number, { gate }: Effort): boolean {
  const weight = isPlain(text)
    ? oursWeight
    : afterPauseWeight * (isQuestion(text) ? inPassingWeight : 1)
  return share * lift * weight >= gate * cover
}

/** Tokens before the newest message that count as in view. Not a share of the window: a long view would never recall. */
const viewTokens = 1500

/** Whether a unit is not sent as it is, because it was cut or cleared, and was not left out by an earlier policy. */
export function isRecallable(
  { transcript, ledger, cutState, files, exchange }: Question,
  unit: number,
) {
  if (unit >= cutState.cut && !isCleared(transcript, cutState.cleared, unit)) return false
  // What was just said is sent anyway; rounds of tools may be lines.
  const old = transcript.units[unit]!
  if (old.kind === 'stray' || (unit >= exchange && old.kind !== 'tools')) return false
  if (files.size > 0 && touchesOne(old, files)) return false
  return unit !== transcript.firstUser && unit !== cutState.request && isOpen(ledger, unit)
}

/** Looks through the scores once. */
function bestOf(question: Question, { units, values }: Scores): Best {
  const { user, cutState } = question
  const { costBefore, firstUser } = question.transcript
  let [old, seen, seenUnit, first] = [0, 0, -1, 0]
  for (let at = 0; at < units.length; at++) {
    const unit = units[at]!
    const value = values[at]!
    const isSeen = unit >= cutState.cut && costBefore[user]! - costBefore[unit]! <= viewTokens
    if (value > seen && isSeen) [seen, seenUnit] = [value, unit]
    if (unit === firstUser) first = value
    // Asked last: it takes most of the time.
    if (value > old && isRecallable(question, unit)) old = value
  }
  return { old, seen, seenUnit, first }
}

/** How many of the best units are looked at for the words of a message: the best of a session that matches need not have them. */
const mostLooked = 4

function bestOld(question: Question, { units, values }: Scores): readonly number[] {
  const found: number[] = []
  for (const at of bestFirst(values)) {
    if (found.length >= mostLooked || values[at]! <= 0) break
    if (isRecallable(question, units[at]!)) found.push(units[at]!)
  }
  return found
}

/** How much is recalled, and at what cost. */
export type Effort = Readonly<ReturnType<typeof toEffort>>

/** Turns effort, 0 to 1, into shares: it moves the gate by powers, and above 0.5 gives more of the window to blocks. */
export function toEffort(effort: number) {
  if (!(effort >= 0 && effort <= 1)) {
    throw new InvalidOptionError(
      'effort',
      `expected a number from 0 to 1, got ${showValue(effort)}`,
    )
  }
  const above = Math.max(0, 2 * effort - 1)
  return {
    /** How much better than the best entry in view the best old entry must be before anything is recalled. */
    // Rounded, as powers may differ in their last bit between engines.
    gate: Math.round(2.6 * 16 ** (1 - 2 * effort) * 1024) / 1024,
    /** The share of the room that is kept for blocks. */
    room: Math.max(1 / 64, 0.75 * above),
    /** How many of the last exchanges stay by right. */
    exchanges: effort < 0.5 ? 2 : 3,
    /** The largest block, as a share of the room. */
    block: 0.5 + 0.5 * above,
    /** The share of the best score below which nothing is recalled, though there is room. */
    least: 0.2 - 0.2 * above,
  }
}
