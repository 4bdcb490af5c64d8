import type { Digester } from '../digests/exchange.ts'
import { type FullDraft, fullDraft } from '../draft/draft.ts'
import type { Policy } from '../draft/policy.ts'
import type { Effort } from '../recall/judge.ts'
import { createCutDigests } from '../stable/cut-digests.ts'
import { cutJournal } from '../stable/cut-journal.ts'
import { divideRoom, type Fold, foldTranscript, type Room, spanCost } from '../stable/fold.ts'

export interface StableOptions {
  /** After a cut the tail is at most this share of its room. Default 0.4. */
  readonly low?: number
  /** The share of the room for digests and the journal of what was cut. Default 0 for `stable`, 1/24 with recall. */
  readonly digests?: number
  /** Asked in order for the digest of an exchange that was cut. Default: [digestTools, digestText]. */
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
    if (fold.cut === 0) return { draft, fold, room }
    const { epoch, needed, limit } = fold
    const spent = spanCost(frame.transcript, fold.cut, draft.units.length, room.inlineNotes) + fold.stuck
    const growth = Math.max(0, room.tail - spent)
    const cut = draft
      .dropRange(0, fold.cut, 'before the cut')
      .withCut({ before: fold.cut, at: epoch, needed, limit, growth, recall: room.recall })
    // The journal of the turn at the cut gets half of the digests' room; inside a long turn also a part of recall's room,
    // as the journal is then the only memory of most of the work.
    const isInside = draft.units[fold.cut]?.kind !== 'user'
    const borrowed = isInside ? Math.floor(room.recall / 4) : 0
    const journal = cutJournal(cut, fold.cut, Math.floor(room.digests / 2) + borrowed)
    const lines = cutDigests(cut, fold.cut, room.digests - Math.min(room.digests, journal?.tokens ?? 0))
    const added = [lines, journal].filter(insertion => insertion !== undefined)
    const left = { ...room, recall: room.recall - borrowed }
    return { draft: cut.insert(added, 'digested'), fold, room: left }
  }
}
