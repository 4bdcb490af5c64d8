import { InvalidOptionError } from '../../log/error.ts'
import type { MessageLike } from '../../log/message.ts'
import type { Cleared } from '../conversation/clearing.ts'
import type { Entry } from '../conversation/stamp-entry.ts'
import type { Unit } from '../conversation/unit.ts'
import type { ReceiptCut } from '../receipt.ts'
import type { Frame } from './frame.ts'
import type { Insertion, Span, SpanFault, UnitRange } from './span.ts'

/** A context in the making, given to a policy and returned by it. Each step returns a new draft. Protected units stay. */
export interface Draft<M extends MessageLike = MessageLike> {
  /** The conversation after its system prompt, in units that stand or fall together, oldest first. */
  readonly units: readonly Unit[]
  /** Indexes of the units that begin a turn. */
  readonly turns: readonly number[]
  /** The tokens that may be sent. */
  readonly capacity: number
  /** The tokens that this draft would send, with the marker if it needs one. */
  readonly tokens: number
  /** The text of a unit: what was said, the calls with their arguments, the results. */
  textOf(unit: Unit): string
  /** The messages of a unit, oldest first. */
  entriesOf(unit: Unit): readonly Entry<M>[]
  /** Whether it is sent whatever a policy drops: `drop` passes it over. */
  isProtected(unit: Unit): boolean
  /** Whether it is still sent as it is: no step has dropped, digested or recalled it. */
  isKept(unit: Unit): boolean

  /** Protects units: no later step leaves them out. What was left out before stays out. */
  protect(units: Iterable<Unit>, why: string): this
  /** Leaves units out, except protected ones; the last exchange is only protected against what makes room. */
  drop(units: Iterable<Unit>, why: string): this
  /** Leaves units out from `from` up to, not including, `to`, except protected ones. */
  dropRange(from: number, to: number, why: string): this
  /** Leaves units out one after the other, in the given order, until the rest fits. If more must go later, these go first. */
  dropToFit(units: Iterable<Unit>, why: string): this
  /** Leaves out the oldest units until the rest fits. It happens after every policy, too. */
  dropOldest(): this
  /** Replaces each range of units by one line. */
  digest(digests: readonly Digest[], why: string): this
  /** Adds texts before units, and records the fate of the units that they stand for. */
  insert(insertions: readonly Insertion[], fate: 'digested' | 'recalled'): this
  /** Takes out the first text that was added, and what it stood for. */
  dropFirstInsertion(why: string): this
  /** Moves system messages that stand in the conversation to its front. */
  moveSystemsFirst(): this
  /** Records for the receipt where the conversation was cut. The places of the cut are units here. */
  withCut(cut: ReceiptCut): this
  /** The same draft; what follows is recorded under another policy's name. */
  as(rule: string): this

  /** The name under which decisions are recorded. */
  readonly rule: string
  /** The units that are not sent as they are, in order, and why. */
  readonly spans: readonly Span[]
  /** The texts that were added, in order. */
  readonly insertions: readonly Insertion[]
  /** What `dropToFit` was given: it goes before anything else if more must go. */
  readonly spare: readonly Spare[]
  /**
   * Whether later system messages are sent at the front, behind the system prompt. Default false.
   */
  readonly systemsFirst: boolean
  /** The units whose long results and answers are sent as one line each. */
  readonly cleared: Cleared
  /**
   * Where the conversation is cut, for the receipt; absent until a policy that cuts has done so.
   */
  readonly cut?: ReceiptCut
  /** What was settled before the first policy: the room, the counter, the system prompt. Its fields may change with any version. */
  readonly frame: Frame
}

/** The steps of the stable cut, which only the built-in policies take. */
export interface OwnDraft extends Draft {
  /** Leaves out system messages that stand in the conversation, each for its reason. */
  age(systems: ReadonlyMap<number, string>): this
  /** Sends long results and answers as one line each. */
  clear(cleared: Cleared): this
}

/** Units that may go, the first one first. */
export interface Spare {
  /** The units that may go, in the order in which they go. */
  readonly units: readonly Unit[]
  /** The name of the rule for the receipt. */
  readonly rule: string
  /** The reason for the receipt, as a person reads it. */
  readonly why: string
}

/** A line and the units that it stands for. */
export interface Digest extends UnitRange {
  /** The text that is sent, as one message. */
  readonly line: string
  /** The line has the whole text of the range's first message, and is sent in its place if that message is protected. */
  readonly isQuoting?: boolean
  /** Digesters that failed on the range before another one made the line. */
  readonly faults?: readonly SpanFault[]
}

/** Decides how a conversation is fitted into a window: a step from draft to draft. */
export interface Policy {
  /** Names the policy in the receipt, beside everything that it decided. */
  readonly name: string
  /** Chooses, by steps such as `drop`. What still does not fit goes after it, the oldest first. */
  apply<M extends MessageLike>(draft: Draft<M>): Draft<M>
  /** How much it recalls, from 0 to 1: what a message brings back from other conversations goes by it, too. Default 0.5. */
  readonly effort?: number | undefined
  /** Never set. Functions have `name`, `apply` and `call`, so this refuses `spongebob` without its parentheses as a policy. */
  readonly call?: never
}

/** Runs policies one after the other, each on the draft of the one before. */
export function pipe(...policies: readonly Policy[]): Policy {
  policies.forEach(checkPolicy)
  return {
    name: policies.map(policy => policy.name).join(' + ') || 'nothing',
    effort: policies.at(-1)?.effort,
    apply: draft => policies.reduce((current, policy) => applyPolicy(policy, current), draft),
  }
}

/** Runs a policy. Throws InvalidOptionError unless it returns its draft, or what steps of it returned. */
export function applyPolicy<M extends MessageLike>(policy: Policy, draft: Draft<M>): Draft<M> {
  checkPolicy(policy)
  const result = policy.apply(draft.as(policy.name)) as Draft<M> | undefined
  // A frame with more protected units has the head of the frame that it was made of.
  if (result?.frame?.head === draft.frame.head) return result
  throw new InvalidOptionError('policy', 'apply must return its draft, or what steps of it gave')
}

/** Throws InvalidOptionError unless this is a policy, above all for a factory that was not called. */
function checkPolicy(policy: Policy): void {
  const isFunction = typeof policy === 'function'
  const name = policy?.name
  if (!isFunction && name && typeof policy.apply === 'function') return
  throw new InvalidOptionError('policy', policyProblem(policy, isFunction ? name : undefined))
}

function policyProblem(policy: unknown, factory?: string): string {
  if (factory) return `is the function ${factory}: call it, ${factory}()`
  if (policy === 'default') return 'is a name: leave the option out, "default" is what is used then'
  // The name that the command line takes is that of the function, too.
  if (typeof policy === 'string' && /^[a-z]{1,20}$/.test(policy))
    return `is a name: import the function from "throughline" and call it, ${policy}()`
  return 'expected a policy, such as balanced() or { name, apply }'
}
