import { keepLatest } from '../conversation/remember.ts'
import type { Transcript } from '../conversation/transcript.ts'
import { checkDigesters, digestLine } from '../digests/digest.ts'
import { type Digester, exchangeAt } from '../digests/exchange.ts'
import { digestText } from '../digests/text.ts'
import { digestTools } from '../digests/tools.ts'
import { textCost } from '../draft/cost.ts'
import { cutJournal } from '../draft/cut-journal.ts'
import { type FullDraft, fullDraft, type Policy } from '../draft/draft.ts'
import type { Fault, Insertion } from '../draft/span.ts'
import type { Effort } from '../recall/judge.ts'
import { divideRoom, type Fold, foldTranscript, type Room, spanCost } from '../stable/fold.ts'

export interface StableOptions {
  /** After a cut the tail is at most this share of its room. Default 0.4. */
  readonly low?: number
  /** The share of the room for digests of what was cut. Default 0 for `stable`, 1/48 with recall. */
  readonly digests?: number
  /** Asked in order for the digest of an exchange that was cut. Default `[digestTools, digestText]`. */
  readonly digesters?: readonly Digester[]
}

/**
 * Cuts seldom and far: when the window is full, down to a low-water mark; then only appends until it is full again. The
 * beginning of the prompt stays the same between cuts, so a model server with a prompt cache need not read it again.
 */
export function stable(options: StableOptions = {}): Policy {
  const cutStably = createStableCut(options, { room: 0, keep: 0.5 })
  return { name: 'stable', apply: draft => cutStably(fullDraft(draft)).draft }
}

const builtIn = createCutDigests()

/** The cut that `stable` and `recall` share, with room kept for recall. */
export function createStableCut(
  { low = 0.4, digests = 0, digesters }: StableOptions,
  { room: recall, keep }: Pick<Effort, 'room' | 'keep'>,
): <D extends FullDraft>(draft: D) => { draft: D; fold: Fold; room: Room } {
  const cutDigests = digesters ? createCutDigests(digesters) : builtIn
  return draft => {
    const { frame } = draft
    const room = divideRoom(frame, { recall, digests, low, keep })
    const fold = foldTranscript(frame.transcript, room)
    frame.watch?.({ fold, room })
    if (fold.cut === 0) return { draft, fold, room }
    const { epoch, needed, limit } = fold
    const spent = spanCost(frame.transcript, fold.cut, draft.units.length, room.inlineNotes) + fold.stuck
    const growth = Math.max(0, room.tail - spent)
    const cut = draft
      .dropRange(0, fold.cut, 'before the cut')
      .withCut({ before: fold.cut, at: epoch, needed, limit, growth, recall: room.recall })
    // Inside a long turn the journal also gets a part of recall's room: it is then the only memory of most of the work.
    const isInside = draft.units[fold.cut]?.kind !== 'user'
    const borrowed = isInside ? Math.floor(room.recall / 4) : 0
    // A small window keeps no room for a journal alone: there it shares that of the digests.
    const shared = room.journal > 0 ? 0 : room.digests
    const journal = cutJournal(cut, fold.cut, room.journal + Math.floor(shared / 2) + borrowed)
    const lines = cutDigests(cut, fold.cut, room.digests - Math.min(shared, journal?.tokens ?? 0))
    const added = [lines, journal].filter(insertion => insertion !== undefined)
    const left = { ...room, recall: room.recall - borrowed }
    return { draft: cut.insert(added, 'digested'), fold, room: left }
  }
}

/** Characters of a line: many lines share a small room, and the first call or sentence is enough. */
const mostCharacters = 120

/** Makes one message of lines for the newest exchanges before a cut. It stays the same until the next cut. */
function createCutDigests(digesters: readonly Digester[] = [digestTools, digestText]) {
  checkDigesters(digesters)
  const latest = keepLatest<Transcript, Insertion | undefined>()
  return (draft: FullDraft, cut: number, budget: number) => {
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
      const { line, problems } = digestLine(exchange, digesters, { max: mostCharacters })
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
