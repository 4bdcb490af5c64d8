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
  const key = `blocks ${JSON.stringify([room, effort, cut, epoch, headCost])}`
  const memory = remember<{ progress: Progress }>(transcript, key, () => ({
    progress: { next: Math.max(0, epochUser), blocks: [] },
  }))
  const read = ({ next, blocks }: Progress): Progress => ({ next: next + 1, blocks: after(blocks, next) })
  while (memory.progress.next <= transcript.latestUser) memory.progress = read(memory.progress)
  // What follows the latest user message may still grow: it is read again every time.
  let { progress } = memory
  while (progress.next < transcript.units.length) progress = read(progress)
  return progress.blocks

  function after(blocks: readonly Block[], at: number): readonly Block[] {
    const { kind } = transcript.units[at]!
    if (kind === 'user') return atUser(blocks, at)
    if (kind !== 'tools' || total(blocks) <= freeAt(at + 1)) return blocks
    // The block of the turn itself stays for all its rounds; older ones make room.
    const own = transcript.turns.findLast(user => user < at)
    return blocks.filter(block => block.user === own)
  }

  function atUser(before: readonly Block[], user: number): readonly Block[] {
    const unit = transcript.units[user]!
    const free = freeAt(Math.max(user, epoch)) - Math.max(room.least, unit.tokens)
    const kept = total(before) > free ? [] : before
    const { text } = transcript.entries[unit.from]!.message
    const index = indexTranscript(transcript, user)
    const question = { transcript, index, effort, user, cut }
    const judgement = judge(question)
    const search = { ...question, ...judgement, base: room.base, headCost }
    const choose = (others: readonly Block[], most: number) => {
      const recalled = new Set(others.flatMap(block => block.units))
      const block = chooseBlock({ ...search, recalled }, most)
      return block && { ...block, reasons: reasonsFor(index, text, judgement.terms, block.units, user) }
    }
    const block = choose(kept, Number.POSITIVE_INFINITY)
    if (!block) return kept
    if (total(kept) + block.tokens <= free) return [...kept, block]
    // A flush: the old ones go, and this one is chosen anew with all of the room.
    const alone = choose([], free)
    return alone ? [alone] : []
  }

  /** The room for blocks when the units up to one have been sent. */
  function freeAt(end: number): number {
    return room.tail + room.recall - fold.stuck - spanCost(transcript, cut, end, room.inlineNotes)
  }
}

const total = (blocks: readonly Block[]) => blocks.reduce((sum, block) => sum + block.tokens, 0)
