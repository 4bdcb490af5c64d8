import type { MessageLike } from '../../log/message.ts'
import type { Draft } from '../draft/draft.ts'
import type { Policy } from '../draft/policy.ts'
import { cutDigests } from '../stable/cut-digests.ts'
import { cutJournal } from '../stable/cut-journal.ts'
import type { Fold } from '../stable/fold.ts'
import { foldTranscript } from '../stable/fold-transcript.ts'
import { divideRoom, type Room } from '../stable/room.ts'

export interface StableOptions {
  /** After a cut the tail is at most this share of its room. Default 0.4. */
  readonly low?: number
  /** The share of the room for digests and the journal of what was cut. Default 0 for `stable`, 1/24 with recall. */
  readonly digests?: number
}

/**
 * Cuts seldom, and then far: when the window is full, down to a low-water mark, and then only appends until it is
 * full again. The beginning of the prompt stays as it was, and a model server that keeps it need not read it again.
 */
export function stable(options: StableOptions = {}): Policy {
  return { name: 'stable', apply: draft => cutStably(draft, options).draft }
}

/** The cut, with room kept for recall: what `stable` and `recall` share. */
export function cutStably<M extends MessageLike>(
  draft: Draft<M>,
  { low = 0.4, digests = 0 }: StableOptions,
  { room: recall, keep } = { room: 0, keep: 0.5 },
): { draft: Draft<M>; fold: Fold; room: Room } {
  const { frame } = draft
  const room = divideRoom(frame, { recall, digests, low, keep, least: 1 / 32 })
  const fold = foldTranscript(frame.transcript, room)
  const cut = draft.dropRange(0, fold.cut, 'before the cut')
  // Half of the digests' room for what the turn at the cut did with tools; inside a long turn also a part of recall's,
  // for then the journal is the only memory of most of what was done.
  const isInside = fold.cut > 0 && draft.units[fold.cut]?.kind !== 'user'
  const borrowed = isInside ? Math.floor(room.recall / 4) : 0
  const journal = cutJournal(cut, fold.cut, Math.floor(room.digests / 2) + borrowed)
  const lines = cutDigests(cut, fold.cut, room.digests - Math.min(room.digests, journal?.tokens ?? 0))
  const added = [lines, journal].filter(insertion => insertion !== undefined)
  const left = { ...room, recall: room.recall - borrowed }
  return { draft: added.length > 0 ? cut.insert(added, 'digested') : cut, fold, room: left }
}
