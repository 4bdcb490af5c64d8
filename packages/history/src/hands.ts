import { defaultPolicy, type FitOptions } from '@throughline/core/context'
import { isOrdinary } from '@throughline/core/conversation'
import { InvalidOptionError, showValue, ThroughlineError } from '@throughline/core/errors'
import type { Receipt } from '@throughline/core/explain'
import { toModelTokens } from '@throughline/core/tokens'
import type { ThreadKey } from '@throughline/stores/store'
import { readingRounds } from './copies.ts'
import { type HandState, pin, pinning } from './log/hand.ts'
import { type Hand, handMessage } from './log/hand-entry.ts'
import { toEntry } from './log/logged-message.ts'
import { checkBranch, type LogSource } from './log/read-log.ts'
import type { ThreadLog } from './log/thread-log.ts'
import { tryAgain, untilKnown } from './turn.ts'
import type { ViewOptions } from './views.ts'

/** The places of the first and the last message that a hand is laid on: a call and its results are never torn. */
export interface HandledUnit {
  /** The place of the first message. */
  readonly first: number
  /** The place of the last message, included. */
  readonly last: number
}

/** What a person may do with single messages of a thread. What is set already is not written again. */
export interface Hands {
  /** From now on the message is always sent. A message of a round of tools stands for the whole round, here and below. */
  pin(seq: number): Promise<HandledUnit>
  /** Takes a pin off: the policy decides again. Without a pin nothing changes. */
  unpin(seq: number): Promise<HandledUnit>
  /** From now on the message is never sent. It stays in the log. Of a pin and a hide the later counts. */
  hide(seq: number): Promise<HandledUnit>
  /** Shows the message to models again. If it was not hidden, nothing changes. */
  unhide(seq: number): Promise<HandledUnit>
  /** The messages that are pinned, and those that are hidden. */
  hands(options?: Pick<ViewOptions, 'at'>): Promise<Record<keyof HandState, readonly HandledUnit[]>>
}

export interface HandSource extends LogSource {
  readonly now: () => number
  readonly newId: () => string
  readonly owner: string
  readonly leaseMs: number
  /** The log of a thread, shared by all threads of the same key. */
  readonly logOf: (key: ThreadKey) => ThreadLog
  /** Removes what a person has asked beside conversations, which repeats what was said; and what is in memory. */
  readonly forget: (key: ThreadKey) => Promise<void>
}

export function createHands(source: HandSource): Hands {
  const { key, logOf } = source

  /** Lays a hand on a unit; `free` only takes back what `of` names. */
  async function lay(seq: number, does: Hand['does'], of: keyof HandState): Promise<HandledUnit> {
    const log = logOf(key)
    const { unit, ...handled } = await log.unitAt(seq)
    if (!unit || !isOrdinary(unit))
      throw wrongPlace('expected the place of a message of the user, the model or a tool', seq)
    const head = await source.store.head(key)
    if (does === 'hide' && head?.open && handled.last >= head.open.first)
      throw new InvalidOptionError(
        'seq',
        `message ${seq} is part of the open turn: hide it when that is over`,
      )
    const set = new Set((await log.hands())[of])
    const firsts = [
      handled.first,
      ...(of === 'hidden' ? await readersOf(log, handled, head?.open) : []),
    ]
    const changed = firsts.filter(first => set.has(first) === (does === 'free'))
    if (changed.length > 0)
      await appendHands(
        source,
        changed.map(first => ({ does, seq: first })),
      )
    return handled
  }

  /** The rounds in which the model has read a message: they are hidden with it, but for those of the open turn. */
  async function readersOf(
    log: ThreadLog,
    handled: HandledUnit,
    open?: { readonly first: number },
  ) {
    const rounds = await readingRounds(source, handled)
    const units = await Promise.all(rounds.map(seq => log.unitAt(seq)))
    return units
      .filter(({ unit, last: end }) => unit && isOrdinary(unit) && (!open || end < open.first))
      .map(unit => unit.first)
  }

  return {
    pin: seq => lay(seq, 'pin', 'pinned'),
    unpin: seq => lay(seq, 'free', 'pinned'),
    hide: seq => lay(seq, 'hide', 'hidden'),
    unhide: seq => lay(seq, 'free', 'hidden'),
    async hands({ at } = {}) {
      const log = logOf(key)
      const { pinned, hidden } = await log.hands(at)
      const handledAt = async (seq: number) => {
        const { unit: _, ...handled } = await log.unitAt(seq)
        return handled
      }
      const unitsOf = (seqs: readonly number[]) => Promise.all(seqs.map(handledAt))
      return { pinned: await unitsOf(pinned), hidden: await unitsOf(hidden) }
    },
  }
}

export const wrongPlace = (problem: string, seq: unknown) =>
  new InvalidOptionError('seq', `${problem}, got ${showValue(seq)}`)

/** Options of a context with one more message pinned, to see whether all pins have room. */
export const withPin = <Options extends Pick<FitOptions, 'policy' | 'overflow'>>(
  options: Options,
  seq: number,
): Options => ({
  ...options,
  policy: pinning(options.policy ?? defaultPolicy, [seq]),
  overflow: 'keep',
})

/** What the pins of a context take, and the room that all else that must be sent leaves them, in the model's tokens. */
export function pinRoom({ entries, tokens, over, capacity }: Receipt, factor: number) {
  const pins = entries.reduce((sum, entry) => sum + (entry.rule === pin.rule ? entry.tokens : 0), 0)
  // While all fits, what is sent besides may still be left out for a pin.
  const room = over > 0 ? capacity - tokens + pins : undefined
  return { tokens: toModelTokens(pins, factor), room: room && toModelTokens(room, factor) }
}

export function checkPins(receipt: Receipt, factor: number): void {
  const { tokens, room } = pinRoom(receipt, factor)
  if (room !== undefined) throw new PinsTooLargeError(tokens, Math.max(0, room))
}

/** Messages that are pinned do not fit beside what must be sent. */
export class PinsTooLargeError extends ThroughlineError {
  /** What the pins would take, with the new one. */
  declare readonly tokens: number
  /** What is left for pins. */
  declare readonly room: number

  /** Both in tokens: what all pins would take, and the room for them. */
  constructor(tokens: number, room: number) {
    super(
      'pins_too_large',
      `The pinned messages would take ${tokens} tokens, and there is room for ${room} beside what must be sent: unpin another one, or give the model a larger window.`,
    )
    Object.assign(this, { tokens, room })
  }
}

/** Writes hands down, between turns or in an open turn that was left. LeaseError while a holder has it. */
export async function appendHands(source: HandSource, hands: readonly Hand[]): Promise<void> {
  const { store, key, owner, leaseMs, now, newId, count } = source
  const options = { id: newId(), time: now(), count, isClosing: true }
  const entries = [toEntry({ message: handMessage, hands }, options)]
  await tryAgain('conflict', 10, () =>
    untilKnown(async () => {
      const head = await store.head(key)
      checkBranch(key, head)
      const begun = head?.open && (await store.resume(key, { owner, leaseMs }))
      if (!begun) return store.seed(key, { expectedHead: head?.head ?? 0, entries })
      await store.append(key, { lease: begun.lease, expectedHead: begun.head, entries })
      // With 0 ms the lease runs out now: the turn is as it was left.
      return store.renew(key, begun.lease, 0)
    }),
  )
}
