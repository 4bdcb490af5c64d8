import { remember } from '../conversation/remember.ts'
import { digestLine } from '../digests/digest-line.ts'
import type { Exchange } from '../digests/exchange.ts'
import { rememberExchanges } from '../digests/remember-exchanges.ts'
import { digestText } from '../digests/text.ts'
import { digestTools } from '../digests/tools.ts'
import { textCost } from '../draft/cost.ts'
import type { Draft } from '../draft/draft.ts'
import { exchangeAt } from '../draft/exchanges.ts'
import type { Insertion } from '../draft/insertion.ts'

/** Lines that share a small room are short, and what was called or said first is enough: the core stays small too. */
const mostCharacters = 120

const lineFor: (exchange: Exchange) => string = rememberExchanges(exchange =>
  digestLine(exchange, [digestTools, digestText], mostCharacters),
)

/** The lines that stand for the newest exchanges before a cut: one message, made with the cut and the same until the next. */
export function cutDigests(draft: Draft, cut: number, budget: number): Insertion | undefined {
  const { frame, turns } = draft
  if (cut === 0 || budget <= 0) return undefined
  const key = `digests ${[cut, budget, frame.count.id]}`
  const { insertion } = remember(frame.transcript, key, () => ({
    insertion: makeDigests(draft, cut, budget),
  }))
  return insertion

  function makeDigests(draft: Draft, cut: number, budget: number): Insertion | undefined {
    const lines: string[] = []
    let from = cut
    let to = 0
    let tokens = textCost(frame, 'user', '')
    for (let turn = lastTurnBefore(turns, cut); turn >= 0; turn--) {
      const exchange = exchangeAt(draft, turn)
      if (exchange.to > cut) continue
      const line = lineFor(exchange)
      tokens += frame.count.text(`${line}\n`)
      if (tokens > budget) break
      lines.unshift(line)
      from = exchange.from
      to = Math.max(to, exchange.to)
    }
    if (lines.length === 0) return undefined
    const why = 'the newest exchanges that were cut'
    return {
      part: 'digests',
      before: turnStart(turns, cut),
      role: 'user',
      text: lines.join('\n'),
      why,
      of: [{ from, to }],
    }
  }
}

function lastTurnBefore(turns: readonly number[], unit: number): number {
  let low = 0
  let high = turns.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (turns[middle]! < unit) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Inside a turn, what is older stands before the turn's user message: the order of the conversation is kept. */
function turnStart(turns: readonly number[], cut: number): number {
  const turn = lastTurnBefore(turns, cut + 1)
  return turns[turn] ?? cut
}
