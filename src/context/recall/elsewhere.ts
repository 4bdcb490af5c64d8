import type { MessageLike } from '../../log/message.ts'
import type { TokenCounter } from '../../tokens/create-counter.ts'
import { nothingCleared } from '../conversation/clearing.ts'
import { adoptEntry } from '../conversation/stamp-entry.ts'
import { createTranscript } from '../conversation/transcript.ts'
import { plainLedger } from '../stable/ledger.ts'
import { reasonsFor } from './blocks.ts'
import { chooseBlock } from './choose-block.ts'
import { pause } from './index-transcript.ts'
import { type Judgement, judge, toEffort } from './judge.ts'
import { createRecallIndex } from './recall-index.ts'
import { termsOf } from './terms.ts'

/** Something that was said, and how many tokens it has. */
export interface Spoken {
  readonly role: 'user' | 'assistant'
  readonly text: string
  readonly time: number
  readonly tokens: number
}

export interface ElsewhereOptions {
  readonly count: TokenCounter
  /** How much is recalled, from 0 to 1, as the policy of this conversation recalls it. */
  readonly effort: number
  /** The tokens that the shares of the effort refer to. */
  readonly base: number
  /** What the line before a quote costs, with its day and the name of its conversation. */
  readonly lineCost: number
}

const terms = new WeakMap<Spoken, readonly string[]>()

/** The terms of what was said, worked out once: the same passages are looked at for many messages. */
export function knownTerms(spoken: Spoken): readonly string[] {
  let known = terms.get(spoken)
  if (!known) {
    known = termsOf(spoken.text)
    terms.set(spoken, known)
  }
  return known
}

/** Longer than the pause between two sessions: each passage begins one. */
const apart = 24 * 60 * 60 * 1000

/**
 * Chooses what a message recalls from other conversations, the best first, and says why: ranked and gated as if these were the
 * past of its own. `passages`: what was said in a row in one of them, oldest first. `own`: the end of its own
 * conversation, the message last; what stands there need not be recalled.
 */
export function recallElsewhere<S extends Spoken>(
  passages: readonly (readonly S[])[],
  own: readonly Spoken[],
  { count, effort: amount, base, lineCost }: ElsewhereOptions,
): readonly { readonly said: S; readonly why: string }[] {
  const transcript = createTranscript(count)
  const places: (S | undefined)[] = []
  let clock = 0
  const index = createRecallIndex()
  const append = (spoken: readonly Spoken[], toPlace: (at: number) => S | undefined) => {
    clock += apart
    for (const [at, one] of spoken.entries()) {
      const { role, text, time, tokens } = one
      const passed = Math.max(0, time - (spoken[at - 1]?.time ?? time))
      clock += passed
      const message = { role, content: text, time: clock } as MessageLike
      adoptEntry(message, places.length, count.id, tokens)
      transcript.append(message, places.length)
      places.push(toPlace(at))
      // Each message is a unit, and so an entry of the index.
      const isUser = role === 'user'
      index.append({
        text,
        isUser,
        tokens,
        beginsSession: at === 0 || passed > pause,
        terms: knownTerms(one),
      })
    }
  }
  // The first user message of a conversation is never recalled, as it is always sent: this one stands in its place.
  append([{ role: 'user', text: '', time: 0, tokens: 0 }], () => undefined)
  for (const passage of passages) append(passage, at => passage[at])
  const cut = transcript.units.length
  append(own, () => undefined)
  const user = transcript.latestUser
  const question = {
    ...{ transcript, ledger: plainLedger(transcript), index, user },
    ...{ effort: toEffort(amount), text: own.at(-1)!.text, files: new Set<number>() },
    fold: { cut, cleared: nothingCleared },
  }
  const search = { ...question, ...judge(question), base, headCost: 0, dayCost: lineCost }
  if (!isClearlyBetter(search, cut)) return []
  const block = chooseBlock({ ...search, recalled: new Set() }, base)
  if (!block) return []
  const reasons = reasonsFor(search, block.units)
  const { units, values } = search.scores
  const scores = new Map(units.map((unit, at) => [unit, values[at]!]))
  return block.units
    .map((unit, at) => ({
      said: places[transcript.units[unit]!.from]!,
      why: reasons[at]!.why,
      score: scores.get(unit)!,
    }))
    .sort((a, b) => b.score - a.score)
}

/** What is said elsewhere must score this many times as much as the best of its own conversation. */
const clearly = 1.3

function isClearlyBetter({ scores: { units, values } }: Pick<Judgement, 'scores'>, cut: number): boolean {
  let [other, own] = [0, 0]
  for (const [at, unit] of units.entries()) {
    if (unit < cut) other = Math.max(other, values[at]!)
    else own = Math.max(own, values[at]!)
  }
  return other > clearly * own
}
