import { recallTitle } from '../../log/texts.ts'
import { neutralizeNotes } from '../../notes/neutralize.ts'
import { keepLatest } from '../conversation/keep-latest.ts'
import { textCost } from '../draft/cost.ts'
import type { Frame } from '../draft/frame.ts'
import type { Insertion } from '../draft/insertion.ts'
import type { Block } from './choose-block.ts'
import { saidIn } from './index-transcript.ts'

const latest = keepLatest<Block, Insertion>()

/** A block as a message: a title, then every recalled entry with its place and its speaker. */
export function renderBlock(frame: Frame, block: Block): Insertion {
  const key = `${[frame.system.length, frame.count.id]}`
  return latest(block, key, () => toInsertion(frame, block))
}

function toInsertion(frame: Frame, block: Block): Insertion {
  const text = [recallTitle, ...block.units.flatMap(unit => unitLines(frame, unit))].join('\n')
  return {
    part: 'recall',
    before: block.user,
    role: 'user',
    text,
    tokens: textCost(frame, 'user', text),
    why: 'the message after it asks for something older',
    of: block.units.map((unit, place) => ({
      from: unit,
      to: unit + 1,
      why: block.reasons?.[place] ?? 'asked for',
    })),
    beside: true,
  }
}

/** The cost of the title as a message of its own: the least that a block costs. */
export function blockHeadCost(frame: Frame): number {
  return textCost(frame, 'user', recallTitle) + 1
}

function unitLines({ transcript, system }: Frame, index: number): readonly string[] {
  const unit = transcript.units[index]!
  const lines: string[] = []
  for (let at = unit.from; at < unit.to; at++) {
    const { message } = transcript.entries[at]!
    const { role, results } = message
    const stray = unit.strays.get(at)
    if (role === 'assistant_note' || (stray && !stray.results)) continue
    const tool = role === 'tool' && results[0]?.name
    const speaker = tool ? `tool ${tool}` : role
    const said = saidIn(message, call => `→ ${call.name}(${call.arguments})`)
      .filter(Boolean)
      .join('\n')
    // Names and arguments are quoted here: in their own messages they are not text.
    lines.push(neutralizeNotes(`#${system.length + at} ${speaker}: ${said}`))
  }
  return lines
}
