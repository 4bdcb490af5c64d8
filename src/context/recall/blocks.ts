import { remember } from '../conversation/remember.ts'
import type { Transcript } from '../conversation/transcript.ts'
import type { Fold } from '../stable/fold.ts'
import type { Room } from '../stable/room.ts'
import { spanCost } from '../stable/span-cost.ts'
import { type Block, chooseBlock } from './choose-block.ts'
import type { Effort } from './effort.ts'
import { indexTranscript } from './index-transcript.ts'
import { judge } from './judge.ts'
import { reasonsFor } from './reasons.ts'

interface Progress {
  readonly next: number
  readonly blocks: readonly Block[]
}

/**
 * The blocks of a context: one for each user message since the cut that asked for something old. A block stays where it
 * is until the next cut, or until the room is full (a flush): so the prompt's beginning grows and is not rewritten. Only
 * the turns since the cut are ranked, so a cold start is cheap too.
 */
export function recallBlocks(
  transcript: Transcript,
  fold: Fold,
  room: Room,
  effort: Effort,
  headCost: number,
): readonly Block[] {
  if (fold.cut === 0) return []
  const { cut, epoch, epochUser } = fold
  const key = `blocks ${[room.base, room.tail, room.recall, cut, epoch, effort.gate, effort.block, effort.keep, headCost, room.inlineNotes]}`
  const memory = remember<{ progress: Progress }>(transcript, key, () => ({
    progress: { next: Math.max(0, epochUser), blocks: [] },
  }))
  const read = (progress: Progress, at: number): Progress => {
    const { kind } = transcript.units[at]!
    const { blocks } = progress
    if (kind === 'user')
      return { next: at + 1, blocks: atUser(transcript, fold, room, effort, headCost, blocks, at) }
    const isFull = kind === 'tools' && total(blocks) > freeAt(transcript, fold, room, at + 1)
    // The block of the current turn stays for all its rounds; older blocks make room.
    const user = isFull ? lastUser(transcript, at) : -1
    return { next: at + 1, blocks: isFull ? blocks.filter(block => block.user === user) : blocks }
  }
  const settled = transcript.latestUser + 1
  for (let at = memory.progress.next; at < settled; at++) memory.progress = read(memory.progress, at)
  let { progress } = memory
  for (let at = progress.next; at < transcript.units.length; at++) progress = read(progress, at)
  return progress.blocks
}

function atUser(
  transcript: Transcript,
  fold: Fold,
  room: Room,
  effort: Effort,
  headCost: number,
  before: readonly Block[],
  user: number,
): readonly Block[] {
  const { cut, epoch } = fold
  const charge = Math.max(room.least, transcript.units[user]!.tokens)
  const free = freeAt(transcript, fold, room, Math.max(user, epoch)) - charge
  const kept = total(before) > free ? [] : before
  const { text } = transcript.entries[transcript.units[user]!.from]!.message
  const index = indexTranscript(transcript, user)
  const judgement = judge({ transcript, index, effort, user, cut })
  const explained = (block: Block) => ({
    ...block,
    reasons: reasonsFor(index, text, judgement.terms, block.units, user),
  })
  const recalled = new Set(kept.flatMap(block => block.units))
  const search = { transcript, judgement, effort, base: room.base, user, cut, headCost }
  const block = chooseBlock({ ...search, recalled }, Number.POSITIVE_INFINITY)
  if (!block) return kept
  if (total(kept) + block.tokens <= free) return [...kept, explained(block)]
  // A flush: the old blocks go, and this one is chosen anew with all of the room.
  const alone = chooseBlock({ ...search, recalled: new Set() }, free)
  return alone ? [explained(alone)] : []
}

/** The tokens free for blocks after the units up to `end`. */
function freeAt(transcript: Transcript, fold: Fold, room: Room, end: number): number {
  return room.tail + room.recall - fold.stuck - spanCost(transcript, fold.cut, end, room.inlineNotes)
}

const total = (blocks: readonly Block[]) => blocks.reduce((sum, block) => sum + block.tokens, 0)

function lastUser({ turns }: Transcript, at: number): number {
  return turns.findLast(user => user < at) ?? -1
}
