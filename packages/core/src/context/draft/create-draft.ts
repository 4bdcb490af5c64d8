import { nothingCleared } from '../conversation/clearing.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { rangeAt } from '../conversation/first-place.ts'
import { isOrdinary, type Unit, unitText } from '../conversation/unit.ts'
import { digestCost, draftCost, unitCost } from './cost.ts'
import { cutOldest, dropToFit } from './cut-oldest.ts'
import type { Digest, Draft, OwnDraft } from './draft.ts'
import { createFrame, type Frame, withoutProtected, withProtected } from './frame.ts'
import type { FrameOptions } from './frame-options.ts'
import { withLastExchange, withoutExchange } from './last-exchange.ts'
import { findSpan, type Insertion, laySpans, type Span, type UnitRange } from './span.ts'

type DraftState = Pick<
  Draft,
  'rule' | 'spans' | 'insertions' | 'spare' | 'systemsFirst' | 'cleared' | 'cut'
>

const untouched: DraftState = {
  rule: 'policy',
  spans: [],
  insertions: [],
  spare: [],
  systemsFirst: false,
  cleared: nothingCleared,
}

/** The draft of a conversation that policies begin with. */
export const beginDraft = (
  conversation: Conversation,
  options: FrameOptions,
  told: Pick<Frame, 'watch' | 'rest'> = {},
  isWhole = false,
) => createDraft({ ...withLastExchange(createFrame(conversation, options, isWhole)), ...told })

export function createDraft(frame: Frame, state: DraftState = untouched): OwnDraft {
  const { transcript } = frame
  const { rule } = state
  const next = (change: Partial<DraftState>) => createDraft(frame, { ...state, ...change })
  let tokens: number | undefined

  const isKept = (unit: Unit) =>
    frame.fixed.has(unit.index) || findSpan(state.spans, unit.index) === undefined

  /** Leaves ranges out. An added text goes with the unit that it belongs to, and so do the units that it stood for. */
  function leaveOut(ranges: readonly UnitRange[], why: string): OwnDraft {
    const added = ranges.map(range => omitted(range, why))
    const falls = ({ of, before, beside }: Insertion) =>
      beside ? findSpan(added, before) !== undefined : of.some(range => isIn(added, range))
    const insertions = state.insertions.filter(insertion => !falls(insertion))
    // What is left out already keeps the reason for which it went.
    const gone = state.spans.filter(({ fate }) => fate === 'omitted')
    return next({
      insertions,
      spans: laySpans(laySpans(without(state.insertions.filter(falls), why), added), gone),
    })
  }

  /** The spans when added texts go: what they stood for is left out. */
  function without(gone: readonly Insertion[], why: string): readonly Span[] {
    const ranges = gone.flatMap(({ of }) => of)
    return ranges.reduce((spans, range) => laySpans(spans, [omitted(range, why)]), state.spans)
  }

  const omitted = ({ from, to }: UnitRange, why: string): Span => ({
    from,
    to,
    fate: 'omitted',
    rule,
    why,
  })

  function insert(added: readonly Insertion[], fate: 'digested' | 'recalled'): OwnDraft {
    // A cleared unit that is recalled keeps its line where it stands.
    const isAway = ({ from }: UnitRange) =>
      fate === 'digested' || findSpan(state.spans, from) !== undefined
    const spans = added.flatMap(({ of, why }) =>
      of.filter(isAway).map(range => ({ why, ...range, fate, rule })),
    )
    spans.sort((a, b) => a.from - b.from)
    const insertions = [...state.insertions, ...added].sort((a, b) => a.before - b.before)
    return next({ insertions, spans: laySpans(state.spans, spans) })
  }

  const draft: OwnDraft = {
    frame,
    units: transcript.units,
    turns: transcript.turns,
    capacity: frame.capacity,
    ...state,
    get tokens() {
      tokens ??= draftCost({ frame, ...state })
      return tokens
    },
    textOf: unit => unitText(transcript, unit),
    entriesOf: unit => transcript.entries.slice(unit.from, unit.to),
    isProtected: unit => frame.fixed.has(unit.index),
    isKept,
    protect(units, why) {
      const isOpen = (unit: Unit) =>
        isOrdinary(unit) && isKept(unit) && !frame.fixed.has(unit.index)
      const added = [...units].filter(isOpen).map(unit => [unit.index, { rule, why }] as const)
      return createDraft(withProtected(frame, added), state)
    },
    drop(units, why) {
      const list = [...units]
      const open = withoutExchange(frame, list)
      return open === frame
        ? leaveOut(toRanges(list), why)
        : createDraft(open, state).drop(list, why)
    },
    dropRange: (from, to, why) => leaveOut(from < to ? [{ from, to }] : [], why),
    dropToFit(units, why) {
      const spare = { units: [...units], rule, why }
      return dropToFit(next({ spare: [...state.spare, spare] }), spare)
    },
    dropOldest: () => cutOldest(draft),
    digest: (digests, why) => insert(digests.map(toInsertion(frame, why)), 'digested'),
    insert,
    age(systems) {
      const spans = [...systems].map(([unit, why]) => omitted({ from: unit, to: unit + 1 }, why))
      spans.sort((a, b) => a.from - b.from)
      return createDraft(withoutProtected(frame, systems), {
        ...state,
        spans: laySpans(state.spans, spans),
      })
    },
    clear: cleared => next({ cleared }),
    dropFirstInsertion(why) {
      const { insertions } = state
      return next({ insertions: insertions.slice(1), spans: without(insertions.slice(0, 1), why) })
    },
    moveSystemsFirst: () => next({ systemsFirst: true }),
    withCut: cut => next({ cut }),
    as: name => next({ rule: name }),
  }
  return draft
}

/** Whether a range of units meets one of some ranges, which are sorted. */
function isIn(sorted: readonly Span[], { from, to }: UnitRange): boolean {
  const at = rangeAt(sorted, from)
  return at < sorted.length && sorted[at]!.from < to
}

function toInsertion(frame: Frame, why: string) {
  return ({ from, to, line, faults = [], isQuoting }: Digest): Insertion => {
    const of = [{ from, to }]
    const added = {
      part: 'digests',
      role: 'user',
      text: line,
      why,
      of,
      faults,
      answered: true,
    } as const
    if (!isQuoting || !frame.fixed.has(from)) return { ...added, before: to }
    return {
      ...added,
      before: from,
      quotes: from,
      tokens: digestCost(frame, line) - unitCost(frame, from),
    }
  }
}

function toRanges(units: readonly Unit[]): readonly UnitRange[] {
  const indexes = [...new Set(units.map(unit => unit.index))].sort((a, b) => a - b)
  const ranges: { from: number; to: number }[] = []
  for (const index of indexes) {
    const last = ranges.at(-1)
    if (last?.to === index) last.to += 1
    else ranges.push({ from: index, to: index + 1 })
  }
  return ranges
}
