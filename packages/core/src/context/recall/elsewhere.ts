import type { MessageLike } from '../../log/message.ts'
import type { TokenCounter } from '../../tokens/create-counter.ts'
import { nothingCleared } from '../conversation/clearing.ts'
import { adoptEntry, stampEntry } from '../conversation/stamp-entry.ts'
import type { Transcript } from '../conversation/transcript.ts'
import { countUnit, createTranscript, emptyLists, listUnit } from '../conversation/transcript.ts'
import { plainLedger } from '../stable/ledger.ts'
import { reasonsFor } from './blocks.ts'
import { chooseBlock } from './choose-block.ts'
import { type Judgement, judge, toEffort } from './judge.ts'
import { addToPassage, indexPassages, type Passage, type SpokenText } from './passage.ts'

export interface ElsewhereOptions {
  readonly count: TokenCounter
  /** How much is recalled, from 0 to 1, as the policy of this conversation recalls it. */
  readonly effort: number
  /** The tokens that the shares of the effort refer to. */
  readonly base: number
  /** What the line before a quote costs, with its day and the name of its conversation. */
  readonly lineCost: number
}

/** A message that is recalled: its passage, its place in the log, its id, and why. */
export interface Elsewhere<P extends Passage> {
  readonly passage: P
  readonly seq: number
  readonly id: string
  readonly why: string
}

/** What a message recalls of `passages` (oldest first), as if they were its past, best first. `here`: its conversation's end. */
export function recallElsewhere<P extends Passage>(
  passages: readonly P[],
  here: readonly SpokenText[],
  asking: SpokenText,
  { count, effort: amount, base, lineCost }: ElsewhereOptions,
): readonly Elsewhere<P>[] {
  // The first user message of a conversation is never recalled, as it is always sent: an empty one stands in its place.
  const first = addToPassage(undefined, [
    { role: 'user', text: '', time: 0, tokens: 0, ...nowhere },
  ])
  const before = addToPassage(
    undefined,
    here.map(one => ({ ...one, ...nowhere })),
  )
  const index = indexPassages([first, ...passages, before])
  const cut = index.size - here.length
  const transcript = toTranscript([first, ...passages], count)
  for (const { role, text, time, tokens } of [...here, asking]) {
    const message = { role, content: text, time } as MessageLike
    adoptEntry(message, 0, count.id, tokens)
    transcript.append(message, 0)
  }
  const user = transcript.latestUser
  const question = {
    ...{ transcript, ledger: plainLedger(transcript), index, user, exchange: user },
    isFirst: here.length === 0,
    ...{ effort: toEffort(amount), text: asking.text, files: new Set<number>() },
    cutState: { cut, cleared: nothingCleared, request: -1 },
  }
  const search = {
    ...question,
    ...judge(question),
    base,
    free: base,
    headCost: 0,
    dayCost: lineCost,
  }
  if (!isClearlyBetter(search, cut)) return []
  const block = chooseBlock(search, new Set(), base)
  if (!block) return []
  const reasons = reasonsFor(search, block.units)
  const { units, values } = search.scores
  const scores = new Map(units.map((unit, at) => [unit, values[at]!]))
  const places = placesIn(passages, block.units)
  return block.units
    .map((unit, at) => ({ ...places[at]!, why: reasons[at]!.why, score: scores.get(unit)! }))
    .sort((a, b) => b.score - a.score)
}

const nowhere = { seq: 0, id: '' }

/** Messages as units without texts. */
function toTranscript(passages: readonly Passage[], count: TokenCounter): Transcript {
  const lists = emptyLists()
  const entry = stampEntry({ role: 'assistant', content: '' }, 0, count)
  for (const { tokens: costs } of passages)
    for (const tokens of costs) {
      const index = lists.entries.push(entry) - 1
      const unit = {
        index,
        from: index,
        to: index + 1,
        tokens,
        ...(index === 0 ? firstUnit : laterUnit),
      }
      lists.units.push(unit)
      listUnit(lists, index, unit.kind)
      countUnit(lists, index, unit)
    }
  return createTranscript(count, lists)
}

const plain = {
  saving: 0,
  noteTokens: 0,
  refers: false,
  touched: [],
  missing: [],
  strays: new Map(),
}
const firstUnit = { kind: 'user' as const, ...plain }
const laterUnit = { kind: 'assistant' as const, ...plain }

/** Where units stand; the first one is in no passage. Both are in the order of the conversations. */
function placesIn<P extends Passage>(passages: readonly P[], units: readonly number[]) {
  const places: Omit<Elsewhere<P>, 'why'>[] = []
  let from = 1
  let next = 0
  for (const passage of passages) {
    const end = from + passage.seqs.length
    if (units[next]! < end) {
      const ids: readonly string[] = JSON.parse(passage.ids)
      for (; units[next]! < end; next++) {
        const at = units[next]! - from
        places.push({ passage, seq: passage.seqs[at]!, id: ids[at]! })
      }
    }
    from = end
  }
  return places
}

/** What is said elsewhere must score this many times as much as the best of its own conversation. */
const clearly = 1.3

function isClearlyBetter(
  { scores: { units, values } }: Pick<Judgement, 'scores'>,
  cut: number,
): boolean {
  let [bestElsewhere, bestHere] = [0, 0]
  for (const [at, unit] of units.entries()) {
    if (unit < cut) bestElsewhere = Math.max(bestElsewhere, values[at]!)
    else bestHere = Math.max(bestHere, values[at]!)
  }
  return bestElsewhere > clearly * bestHere
}
