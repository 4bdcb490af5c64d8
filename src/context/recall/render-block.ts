import { recallTitle } from '../../log/texts.ts'
import { neutralizeNotes } from '../../notes/neutralize.ts'
import { textCost } from '../draft/cost.ts'
import type { Frame } from '../draft/frame.ts'
import type { Insertion } from '../draft/insertion.ts'
import type { Block } from './choose-block.ts'

const rendered = new WeakMap<
  Block,
  { readonly offset: number; readonly counter: string; readonly insertion: Insertion }
>()

/** A block as a message: a title, then every recalled entry with its place and its speaker. */
export function renderBlock(frame: Frame, block: Block): Insertion {
  const offset = frame.system.length
  const known = rendered.get(block)
  if (known?.offset === offset && known.counter === frame.count.id) return known.insertion
  const text = [recallTitle, ...block.units.flatMap(unit => unitLines(frame, unit))].join('\n')
  const insertion: Insertion = {
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
  rendered.set(block, { offset, counter: frame.count.id, insertion })
  return insertion
}

/** The cost of the title as a message of its own: the least that a block costs. */
export function blockHeadCost(frame: Frame): number {
  return textCost(frame, 'user', recallTitle) + 1
}

function unitLines({ transcript, system }: Frame, index: number): readonly string[] {
  const unit = transcript.units[index]!
  const lines: string[] = []
  for (let at = unit.from; at < unit.to; at++) {
    const { role, text, calls, results } = transcript.entries[at]!.message
    const stray = unit.strays.get(at)
    if (role === 'assistant_note' || (stray && !stray.results)) continue
    const speaker = role === 'tool' ? ['tool', results[0]?.name].filter(Boolean).join(' ') : role
    const own = role === 'tool' ? [] : results.map(result => result.text)
    const said = [text, ...calls.map(call => `→ ${call.name}(${call.arguments})`), ...own]
      .filter(Boolean)
      .join('\n')
    // Names and arguments are quoted here: in their own messages they are not text.
    lines.push(neutralizeNotes(`#${system.length + at} ${speaker}: ${said}`))
  }
  return lines
}
