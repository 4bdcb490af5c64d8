import { clipMark, gapMark } from '../../log/texts.ts'
import { withText } from '../../log/write-message.ts'
import { commonLength, cutMiddle } from '../../tokens/cut-middle.ts'
import { ageSystems } from '../conversation/clearing.ts'
import { keepLatest } from '../conversation/remember.ts'
import type { Entry } from '../conversation/stamp-entry.ts'
import { costBetween, exchangeStart } from '../conversation/transcript.ts'
import type { Unit } from '../conversation/unit.ts'
import { markerCost, noteCharge, roomBeside, systemsRoom, unitCost } from './cost.ts'
import { type Frame, protecting, withoutProtected } from './frame.ts'

/**
 * A frame that protects what was just said: the exchange before the latest user message, and every user message since the last
 * reply. Whole while it fits beside what must be sent, else the beginning and the end of its long messages. Rounds of tools in
 * it are left to the policy, and so is all of it once the open turn needs its room.
 */
export function withLastExchange(frame: Frame): Frame {
  const exchange = findLastExchange(frame)
  if (exchange.size === 0) return frame
  return { ...frame, ...protecting([...frame.fixedList, ...exchange.keys()]), exchange }
}

/** A frame in which a policy of one's own may leave units of the last exchange out, for it has its reasons. */
export function withoutExchange(frame: Frame, units: readonly Unit[]): Frame {
  const gone = new Set(units.map(({ index }) => index).filter(index => frame.exchange.has(index)))
  if (gone.size === 0) return frame
  const exchange = new Map([...frame.exchange].filter(([index]) => !gone.has(index)))
  return { ...withoutProtected(frame, gone), exchange }
}

/** The share of the free room that a clipped exchange takes: what the message asks for, and rounds of tools, need the rest. */
const clippedShare = 3 / 4

/** Where more messages do not fit, it is left to the policy which of them go. */
const mostClipped = 8

/** A clipped message has at least this many tokens, or it is not sent. */
const leastClipped = 48

function findLastExchange(frame: Frame): ReadonlyMap<number, Entry> {
  const { transcript, notes } = frame
  const { units, turns, latestUser, firstUser, systemCostBefore } = transcript
  if (turns.length < 2 || fitsWhole(frame)) return new Map()
  const room = roomFor(frame)
  /** What no reply has answered yet, and the exchange before it. */
  const [unanswered, answered]: [number[], number[]] = [[], []]
  const start = exchangeStart(transcript, turns.length - 1)
  let whole = 0
  for (let index = latestUser - 1; index >= start; index--) {
    if (whole > room && unanswered.length + answered.length > mostClipped) return new Map()
    const { kind } = units[index]!
    if (index === firstUser || (kind !== 'user' && kind !== 'assistant')) continue
    whole += unitCost(frame, index)
    const list = kind === 'user' && answered.length === 0 ? unanswered : answered
    list.push(index)
  }
  const first = withinRoom(frame, unanswered, room)
  const left = room - tokensIn(first)
  const exchange = new Map([...withinRoom(frame, answered, left), ...first])
  const systems = systemCostBefore[units.length]! - systemCostBefore[latestUser + 1]!
  const since = systems + costBetween(transcript, latestUser + 1, units.length, notes === 'inline')
  return since > 0 && tokensIn(exchange) + since > room ? new Map() : exchange
}

const tokensIn = (exchange: ReadonlyMap<number, Entry>) =>
  [...exchange.values()].reduce((sum, { tokens }) => sum + tokens, 0)

/** Messages that are sent whole while they fit; else the long ones among them are clipped. */
function withinRoom(frame: Frame, indexes: readonly number[], room: number): Map<number, Entry> {
  const { units, entries } = frame.transcript
  const costs = indexes.map(index => unitCost(frame, index))
  const whole = costs.reduce((sum, cost) => sum + cost, 0)
  const level = whole <= room ? whole : commonLength(costs, Math.floor(room * clippedShare))
  const sent = new Map<number, Entry>()
  for (const index of indexes.toReversed()) {
    const isShort = unitCost(frame, index) <= level
    const entry = isShort ? entries[units[index]!.from]! : clip(frame, index, level)
    if (entry) sent.set(index, entry)
  }
  return sent
}

/** Whether all of the conversation fits: then nothing need be protected. */
function fitsWhole(frame: Frame): boolean {
  const { transcript, notes } = frame
  const { units, systemCostBefore, firstUser } = transcript
  const ordinary = costBetween(transcript, 0, units.length, notes === 'inline')
  return (
    ordinary + systemCostBefore[units.length]! + unitCost(frame, firstUser) <= roomBeside(frame, 1)
  )
}

/** The tokens beside all that must be sent with the latest user message. */
function roomFor(frame: Frame): number {
  const { transcript } = frame
  const { systemCostBefore, latestUser, firstUser } = transcript
  const base = roomBeside(frame, 1)
  const aged = ageSystems(transcript, latestUser, systemsRoom(frame))
  const systems = systemCostBefore[latestUser]! - aged
  const users = unitCost(frame, firstUser) + unitCost(frame, latestUser)
  return base - users - systems - markerCost(frame) - noteCharge(frame)
}

const latest = keepLatest<Entry['message'], Entry | undefined>()

/** A message without its middle; undefined where no text of it could be sent. */
function clip(
  { transcript, count, origin }: Frame,
  index: number,
  level: number,
): Entry | undefined {
  const { from } = transcript.units[index]!
  const entry = transcript.entries[from]!
  const { message, raw, tokens } = entry
  return latest(message, `${[level, count.id, origin]}`, () => {
    // Pictures and the message's own framing stay.
    const limit = level - (tokens - count.text(message.text))
    if (limit < leastClipped / 2) return undefined
    const seq = origin + from
    const text = cutMiddle(message.text, limit, count, missing =>
      message.role === 'assistant' ? gapMark : clipMark(missing, seq),
    )
    const clipped = { ...message, text }
    const why = `${tokens} tokens do not fit: its beginning and end are sent, all of it is in the log as #${seq}`
    return {
      ...entry,
      raw: withText(raw, text),
      message: clipped,
      tokens: count.message(clipped),
      altered: { rule: 'exchange', why },
    }
  })
}
