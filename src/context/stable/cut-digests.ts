import { keepLatest } from '../conversation/remember.ts'
import type { Transcript } from '../conversation/transcript.ts'
import { checkDigesters, digestLine } from '../digests/digest.ts'
import { type Digester, exchangeAt } from '../digests/exchange.ts'
import { digestText } from '../digests/text.ts'
import { digestTools } from '../digests/tools.ts'
import { textCost } from '../draft/cost.ts'
import type { FullDraft } from '../draft/draft.ts'
import type { Fault, Insertion } from '../draft/span.ts'

/** Characters of a line: many lines share a small room, and the first call or sentence is enough. */
const mostCharacters = 120

/** Makes one message of lines for the newest exchanges before a cut. It stays the same until the next cut. */
export type CutDigests = (draft: FullDraft, cut: number, budget: number) => Insertion | undefined

export function createCutDigests(digesters: readonly Digester[] = [digestTools, digestText]): CutDigests {
  checkDigesters(digesters)
  const latest = keepLatest<Transcript, Insertion | undefined>()
  return (draft, cut, budget) => {
    if (budget <= 0) return undefined
    const { transcript, count } = draft.frame
    const key = `${[cut, budget, count.id]}`
    return latest(transcript, key, () => makeDigests(draft, cut, budget))
  }

  function makeDigests(draft: FullDraft, cut: number, budget: number): Insertion | undefined {
    const { frame, turns } = draft
    const lines: string[] = []
    const faults: Fault[] = []
    let from = cut
    let to = 0
    let tokens = textCost(frame, 'user', '')
    for (let turn = turns.findLastIndex(user => user < cut); turn >= 0; turn--) {
      const exchange = exchangeAt(frame.transcript, turn)
      if (exchange.to > cut) continue
      const { line, problems } = digestLine(exchange, digesters, mostCharacters)
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
    return { part: 'digests', before, role: 'user', text: lines.join('\n'), why, of: [{ from, to }], faults }
  }
}
