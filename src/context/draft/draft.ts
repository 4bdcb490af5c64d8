import { InvalidOptionError } from '../../log/error.ts'
import type { MessageLike } from '../../log/message.ts'
import type { Entry } from '../conversation/stamp-entry.ts'
import type { Unit } from '../conversation/transcript.ts'
import type { ReceiptCut } from '../receipt.ts'
import { digestCost, draftCost, unitCost } from './cost.ts'
import type { Frame } from './frame.ts'
import { type Fault, findSpan, type Insertion, laySpans, type Span, type Stretch } from './span.ts'

/** A context in the making. Every step returns a new draft; protected units stay, whatever a policy drops. */
export interface Draft<M extends MessageLike = MessageLike> {
  /** The conversation after its system prompt, in units that stand or fall together, oldest first. */
  readonly units: readonly Unit[]
  /** Indexes of the units that begin a turn. */
  readonly turns: readonly number[]
  /** The tokens that may be sent, and those that this draft would send. */
  readonly capacity: number
  readonly tokens: number
  entriesOf(unit: Unit): readonly Entry<M>[]
  isProtected(unit: Unit): boolean
  isKept(unit: Unit): boolean
  /** Leaves units out, except protected ones. */
  drop(units: Iterable<Unit>, why: string): this
  /** Leaves units out from `from` up to, not including, `to`, except protected ones. */
  dropRange(from: number, to: number, why: string): this
  /** Replaces each stretch of units by one line. */
  digest(digests: readonly Digest[], why: string): this
  /** Adds texts before units, and records the fate of the units that they stand for. */
  insert(insertions: readonly Insertion[], fate: 'digested' | 'recalled'): this
  /** Moves system messages that stand in the conversation to its front. */
  moveSystemsFirst(): this
}

/** A draft with the parts that only the library uses. */
export interface FullDraft<M extends MessageLike = MessageLike> extends Draft<M>, State {
  readonly frame: Frame
  withoutFirstInsertion(why: string): this
  withCut(cut: ReceiptCut): this
  /** The same draft; what follows is recorded under another rule's name. */
  as(rule: string): this
}

/** Returns the full draft: a policy can only return what the steps of its draft returned. */
export function fullDraft<M extends MessageLike>(draft: Draft<M>, frame?: Frame): FullDraft<M> {
  const own = (draft as Partial<FullDraft<M>> | undefined)?.frame
  if (own && own === (frame ?? own)) return draft as FullDraft<M>
  throw new InvalidOptionError('policy', 'apply must return the draft, or what a step of the draft gave')
}

/** A line and the units that it stands for. */
export interface Digest extends Stretch {
  readonly line: string
  /** The line has the whole text of the stretch's first message, and is sent in its place if that message is protected. */
  readonly isQuoting?: boolean
  readonly faults?: readonly Fault[]
}

interface State {
  readonly rule: string
  readonly spans: readonly Span[]
  readonly insertions: readonly Insertion[]
  readonly systemsFirst: boolean
  /** The cut of a stable policy: its places are units here, messages in the receipt. */
  readonly cut?: ReceiptCut
}

const untouched: State = { rule: 'policy', spans: [], insertions: [], systemsFirst: false }

export function createDraft(frame: Frame, state: State = untouched): FullDraft {
  const { transcript } = frame
  const { rule } = state
  const next = (change: Partial<State>) => createDraft(frame, { ...state, ...change })
  let tokens: number | undefined

  /** Leaves stretches out. An added text goes with the unit that it belongs to, and so do the units that it stood for. */
  function leaveOut(stretches: readonly Stretch[], why: string): FullDraft {
    const added = stretches.map(stretch => elided(stretch, why))
    const falls = ({ of, before, beside }: Insertion) =>
      added.some(({ from, to }) =>
        beside ? from <= before && before < to : of.some(stretch => from < stretch.to && stretch.from < to),
      )
    const fallen = state.insertions.filter(falls)
    const insertions = state.insertions.filter(insertion => !fallen.includes(insertion))
    return next({ insertions, spans: laySpans(without(fallen, why), added) })
  }

  /** The spans when added texts go: what they stood for is left out. */
  function without(gone: readonly Insertion[], why: string): readonly Span[] {
    const stretches = gone.flatMap(({ of }) => of)
    return stretches.reduce((spans, stretch) => laySpans(spans, [elided(stretch, why)]), state.spans)
  }

  const elided = (stretch: Stretch, why: string): Span => ({ ...stretch, fate: 'elided', rule, why })

  function insert(added: readonly Insertion[], fate: 'digested' | 'recalled'): FullDraft {
    const spans = added.flatMap(({ of, why }) => of.map(stretch => ({ why, ...stretch, fate, rule })))
    spans.sort((a, b) => a.from - b.from)
    const insertions = [...state.insertions, ...added].sort((a, b) => a.before - b.before)
    return next({ insertions, spans: laySpans(state.spans, spans) })
  }

  return {
    frame,
    units: transcript.units,
    turns: transcript.turns,
    capacity: frame.capacity,
    ...state,
    get tokens() {
      tokens ??= draftCost(frame, state.spans, state.insertions)
      return tokens
    },
    entriesOf: unit => transcript.entries.slice(unit.from, unit.to),
    isProtected: unit => frame.fixed.has(unit.index),
    isKept: unit => frame.fixed.has(unit.index) || findSpan(state.spans, unit.index) === undefined,
    drop: (dropped, why) => leaveOut(toStretches(dropped), why),
    dropRange: (from, to, why) => leaveOut(from < to ? [{ from, to }] : [], why),
    digest(digests, why) {
      const lines = digests.map(digest => toInsertion(frame, digest, why))
      return insert(lines, 'digested')
    },
    insert,
    withoutFirstInsertion(why) {
      const [first, rest] = [state.insertions.slice(0, 1), state.insertions.slice(1)]
      return next({ insertions: rest, spans: without(first, why) })
    },
    moveSystemsFirst: () => next({ systemsFirst: true }),
    withCut: cut => next({ cut }),
    as: name => next({ rule: name }),
  }
}

function toInsertion(
  frame: Frame,
  { from, to, line, faults = [], isQuoting }: Digest,
  why: string,
): Insertion {
  const of = [{ from, to }]
  const added = { part: 'digests', role: 'user', text: line, why, of, faults, answered: true } as const
  if (!isQuoting || !frame.fixed.has(from)) return { ...added, before: to }
  return { ...added, before: from, quotes: from, tokens: digestCost(frame, line) - unitCost(frame, from) }
}

function toStretches(units: Iterable<Unit>): readonly Stretch[] {
  const indexes = [...new Set([...units].map(unit => unit.index))].sort((a, b) => a - b)
  const stretches: { from: number; to: number }[] = []
  for (const index of indexes) {
    const last = stretches.at(-1)
    if (last?.to === index) last.to += 1
    else stretches.push({ from: index, to: index + 1 })
  }
  return stretches
}

/** Decides how a conversation is fitted into a window: a step from draft to draft. */
export interface Policy {
  /** Names the policy in the receipt, beside everything that it decided. */
  readonly name: string
  apply<M extends MessageLike>(draft: Draft<M>): Draft<M>
  /** Never set. Functions have `name`, `apply` and `call`, so this refuses `spongebob` without its parentheses as a policy. */
  readonly call?: never
}

/** Runs policies one after the other, each on the draft of the one before. */
export function pipe(...policies: readonly Policy[]): Policy {
  policies.forEach(checkPolicy)
  return {
    name: policies.map(policy => policy.name).join(' + ') || 'nothing',
    apply: draft =>
      policies.reduce(
        (current, policy) => fullDraft(policy.apply(current.as(policy.name))),
        fullDraft(draft),
      ),
  }
}

/** Throws InvalidOptionError unless this is a policy, above all for a factory that was not called. */
export function checkPolicy(policy: Policy): void {
  const isFunction = typeof policy === 'function'
  const name = policy?.name
  if (!isFunction && name && typeof policy.apply === 'function') return
  throw new InvalidOptionError(
    'policy',
    isFunction && name
      ? `is the function ${name}: call it, ${name}()`
      : 'expected a policy, such as balanced() or { name, apply }',
  )
}
