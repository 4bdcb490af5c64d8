import { placeOf } from '../conversation/first-place.ts'
import type { Lists, Transcript } from '../conversation/transcript.ts'
import { findRules } from './find-rules.ts'

/** The user messages that lay down standing rules: their units, ascending, and about what the rules of each cost. */
type RulePlaces = Lists['rules']

/** The places before a unit, and perhaps some behind it. Each text is read once; after a restart a checkpoint names them. */
export function rulePlaces(transcript: Transcript, end: number): Readonly<RulePlaces> {
  const { rules } = transcript as { readonly rules: RulePlaces }
  for (; rules.read < end; rules.read++) {
    const charge = chargeAt(transcript, rules.read)
    if (charge === 0) continue
    rules.units.push(rules.read)
    rules.tokens.push(charge)
  }
  return rules
}

/** The places of a copy in which some units say something else. */
export function copyRulePlaces(from: Transcript, to: Transcript, changed: Iterable<number>): void {
  const { read, units, tokens } = from.rules
  const anew = new Set([...changed].filter(unit => unit < read))
  const charges = new Map(units.map((unit, at) => [unit, tokens[at]!]))
  for (const unit of anew) charges.set(unit, chargeAt(to, unit))
  const places = [...charges].filter(([, charge]) => charge > 0).sort(([a], [b]) => a - b)
  const rules = {
    units: places.map(([unit]) => unit),
    tokens: places.map(([, charge]) => charge),
    read,
  }
  Object.assign(to.rules, rules)
}

/** Its share of the message's tokens and a little more, as a rule that is counted by itself may have one token more. */
function chargeAt({ units, entries }: Transcript, at: number): number {
  const { kind, from, tokens } = units[at]!
  if (kind !== 'user') return 0
  const { text } = entries[from]!.message
  const length = findRules(text).reduce((sum, rule) => sum + rule.length, 0)
  return length === 0 ? 0 : Math.ceil((1.1 * tokens * length) / text.length) + 4
}

/** The share of the room that standing rules may take, and the most tokens in any conversation. */
const roomShare = 1 / 16
const mostTokens = 700

/** The most tokens for standing rules beside system prompt and tools. */
export const rulesRoom = (base: number): number =>
  Math.min(mostTokens, Math.floor(base * roomShare))

/** What the first line costs, and the framing of its message. */
const titleCharge = 32

/** What is kept free for the rules of messages before a cut: the cut itself does not depend on what is counted later. */
export function rulesCharge(transcript: Transcript, cut: number, base: number): number {
  if (cut === 0) return 0
  const { units, tokens } = rulePlaces(transcript, cut)
  const most = rulesRoom(base)
  let sum = 0
  for (let at = placeOf(units, cut) - 1; at >= 0 && sum < most; at--) {
    const unit = units[at]!
    const isSent = unit === transcript.firstUser || transcript.units[unit]!.kind !== 'user'
    if (!isSent) sum += tokens[at]! + (sum === 0 ? titleCharge : 0)
  }
  return Math.min(sum, most)
}
