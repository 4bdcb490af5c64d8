import { InvalidOptionError, refuseUnknown, showValue } from '../../log/error.ts'
import { cut } from '../../log/line.ts'
import type { Message } from '../../log/message.ts'
import { createFindNewest } from '../conversation/remember.ts'
import type { Entry } from '../conversation/stamp-entry.ts'
import { checkDigesters, digestLine, maxRequest } from '../digests/digest.ts'
import { countExchanges, exchangeAt, isWhole } from '../digests/exchange.ts'
import { type Digester, defaultDigesters, digestProgram, type Exchange } from '../digests/index.ts'
import { digestCost, markerCost, unitCost } from '../draft/cost.ts'
import type { Digest, Policy } from '../draft/draft.ts'

interface TieredOptions {
  /** How many of the latest exchanges are sent whole. Default 2. */
  readonly full?: number
  /**
   * How many exchanges are sent in all: whole ones, lines, and the one being worked on. The first user message is sent besides.
   * Default: as many as fit.
   */
  readonly max?: number
  /** Asked in order for the digest of an older exchange. Default `defaultDigesters`. */
  readonly digesters?: readonly Digester[]
  /**
   * Recognises the exchange being worked on: the newest such one is always sent whole, as a line is not enough to edit from.
   * Default: one with a JSON program.
   */
  readonly isCurrent?: (exchange: Exchange) => boolean
}

/** Sends the latest exchanges whole and older ones as one line each; the oldest lines are left out first. */
export function tiered(options: TieredOptions = {}): Policy {
  refuseUnknown(options, { full: 1, max: 1, digesters: 1, isCurrent: 1 })
  const {
    full = 2,
    max = Number.POSITIVE_INFINITY,
    digesters = defaultDigesters,
    isCurrent = exchange => digestProgram(exchange) !== undefined,
  } = options
  if (!(full >= 0))
    throw new InvalidOptionError(
      'full',
      `expected how many exchanges to keep whole, got ${showValue(full)}`,
    )
  if (!(max >= full))
    throw new InvalidOptionError('max', `expected at least full (${full}), got ${showValue(max)}`)
  checkDigesters(digesters)
  const digest = rememberExchanges(exchange => digestLine(exchange, digesters))
  const digestAnswer = rememberExchanges(exchange =>
    digestLine(exchange, digesters, { isRequestSent: true }),
  )
  const findNewest = createFindNewest()
  return {
    name: 'tiered',
    apply(draft) {
      const { transcript } = draft.frame
      const count = countExchanges(transcript)
      const older = Math.max(0, count - full)
      if (older === 0) return draft
      const end = draft.turns[older] ?? draft.units.length
      const newest = findNewest(transcript, count, turn => isCurrent(exchangeAt(transcript, turn)))
      const current = newest < 0 ? undefined : exchangeAt(transcript, newest)
      const stays = current && current.to <= end ? current : undefined
      let result = draft.dropRange(
        draft.turns[0]!,
        stays?.from ?? end,
        'older than the digests that fit',
      )
      if (stays) result = result.dropRange(stays.to, end, 'older than the digests that fit')
      // The newest lines that fit. If they stand for everything left out, they get the marker's room too.
      const lines: Digest[] = []
      let free = draft.capacity - result.tokens
      let places = max - (count - older) - (stays ? 1 : 0)
      for (let turn = older - 1; turn >= 0 && places > 0; turn--) {
        const exchange = exchangeAt(transcript, turn)
        const { from: unit, to } = exchange
        if (unit === stays?.from || !isWhole(draft, exchange)) continue
        const isFirst = unit === transcript.firstUser
        const isQuoting = isFirst && fitsLine(transcript.entries[draft.units[unit]!.from]!)
        const { line, problems } = (isFirst && !isQuoting ? digestAnswer : digest)(exchange)
        const faults = problems.map(problem => ({ unit, problem }))
        const added = { from: unit, to, line, isQuoting, faults }
        free -= digestCost(draft.frame, line) - (isQuoting ? unitCost(draft.frame, unit) : 0)
        const isLast = turn === 0 || (turn === 1 && stays?.from === draft.turns[0])
        if (free + (isLast ? markerCost(draft.frame) : 0) < 0) break
        lines.push(added)
        places -= 1
      }
      return result.digest(lines.reverse(), `older than the last ${full} exchanges`)
    },
  }
}

/** Whether a line can quote a message whole: one short line of text, and nothing else. */
function fitsLine({ message: { text, media, unknown } }: Entry): boolean {
  return (
    media === 0 && unknown === '' && text.length <= maxRequest && cut(text, maxRequest) === text
  )
}

/** Remembers a function's values for exchanges: older exchanges never change, and each turn asks for them again. */
function rememberExchanges<T>(make: (exchange: Exchange) => T): (exchange: Exchange) => T {
  const cache = new WeakMap<Message, Exchange & { readonly value: T }>()
  return exchange => {
    const { request, messages } = exchange
    const last = messages.at(-1)
    if (!last) return make(exchange)
    const before = cache.get(last)
    // One object may end several exchanges.
    const isSame =
      before?.request === request &&
      before.messages.length === messages.length &&
      before.messages.every((message, at) => message === messages[at])
    if (isSame) return before.value
    const value = make(exchange)
    cache.set(last, { request, messages, value })
    return value
  }
}
