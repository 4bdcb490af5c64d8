import { few } from '../../log/line.ts'
import type { Message } from '../../log/message.ts'
import { rulesTitle } from '../../log/texts.ts'
import { neutralizeNotes } from '../../notes/neutralize.ts'
import { keepLatest } from '../conversation/remember.ts'
import { baseRoom, textCost } from '../draft/cost.ts'
import type { Draft } from '../draft/draft.ts'
import { findSpan, type Insertion } from '../draft/span.ts'
import { findRules } from '../standing/find-rules.ts'
import { inForce, type StandingRule } from '../standing/in-force.ts'
import { rulePlaces, rulesRoom } from '../standing/rule-places.ts'

/** Of more messages with rules the older ones are not looked at. */
const mostMessages = 256

/**
 * Adds the standing rules of messages that are not sent: word for word, in the user's voice, just behind the system prompt. There
 * they change only when a cut takes another rule. `refit` makes a draft fit into less; a stable cut has kept their room.
 */
export function withRules(draft: Draft, room: number, refit: (less: number) => Draft): Draft {
  if (draft.spans.length === 0) return draft
  const most = rulesRoom(baseRoom(draft.frame))
  const block = rulesBlock(draft, most)
  if (!block) return draft
  const isRoomy = draft.tokens + block.tokens! <= room
  const fitted = isRoomy || draft.cut ? draft : refit(most)
  const left = Math.min(most, room - fitted.tokens)
  const fittedBlock = isRoomy ? block : rulesBlock(fitted, left)
  return fittedBlock ? fitted.insert([fittedBlock], 'digested') : draft
}

const rulesOf = keepLatest<Message, readonly string[]>()

function rulesBlock(draft: Draft, most: number): Insertion | undefined {
  const { frame, spans } = draft
  const { transcript, count, origin } = frame
  const rules: StandingRule[] = []
  const places = rulePlaces(transcript, transcript.units.length).units
  for (const unit of places.slice(-mostMessages)) {
    const { kind, from } = transcript.units[unit]!
    if (kind !== 'user') continue
    const { message } = transcript.entries[from]!
    for (const text of rulesOf(message, '', () => findRules(message.text)))
      rules.push({ unit, text })
  }
  const away = inForce(rules).filter(({ unit, text }) => !isInView(unit, text))
  const chosen: StandingRule[] = []
  let tokens = textCost(frame, 'user', rulesTitle)
  for (const rule of away.toReversed()) {
    const cost = count.text(`\n${lineOf(rule)}`) + 1
    if (tokens + cost > most) continue
    tokens += cost
    chosen.unshift(rule)
  }
  if (chosen.length === 0) return undefined
  const text = [rulesTitle, ...chosen.map(lineOf)].join('\n')
  const seqOf = (unit: number) => origin + transcript.units[unit]!.from
  const units = [...new Set(chosen.map(({ unit }) => unit))]
  const why = `standing rule${chosen.length > 1 ? 's' : ''}, said in ${few(
    units.map(unit => `#${seqOf(unit)}`),
    6,
  )}`
  // One that is recalled as well keeps the reason for that.
  const of = units
    .filter(unit => findSpan(spans, unit)?.fate !== 'recalled')
    .map(unit => ({ from: unit, to: unit + 1, why: `standing rule, said in #${seqOf(unit)}` }))
  const said = chosen.map(({ unit, text }) => ({ seq: seqOf(unit), text }))
  return {
    part: 'rules',
    before: 0,
    role: 'user',
    text,
    tokens: textCost(frame, 'user', text),
    why,
    of,
    rules: said,
  }

  function isInView(unit: number, text: string): boolean {
    const clipped = frame.exchange.get(unit)
    if (frame.fixed.has(unit)) return !clipped || clipped.message.text.includes(text)
    return !findSpan(spans, unit)
  }
}

const lineOf = ({ text }: StandingRule) => neutralizeNotes(`- ${text}`)
