import { isOrdinary } from '../context/conversation/unit.ts'
import type { FitOptions } from '../context/fit.ts'
import { defaultPolicy } from '../context/policies/recall.ts'
import type { Receipt } from '../context/receipt.ts'
import { InvalidOptionError, showValue, ThroughlineError } from '../log/error.ts'
import type { Message, MessageLike } from '../log/message.ts'
import { readMessage } from '../log/parse-message.ts'
import { erasedText } from '../log/texts.ts'
import { isObject } from '../log/values.ts'
import { toolResultFor } from '../log/write-message.ts'
import type { StoredEntry, ThreadKey } from '../stores/store.ts'
import { turnOpen } from '../stores/store-error.ts'
import { toModelTokens } from '../tokens/calibration.ts'
import { promptActor } from './calls/calls.ts'
import { type Hand, type HandState, handMessage, isHandEntry, pin, pinning } from './log/hand.ts'
import { recountEntry, toEntry } from './log/logged-message.ts'
import { checkBranch, type LogSource, readLog } from './log/read-log.ts'
import type { ThreadLog } from './log/thread-log.ts'
import { tryAgain, untilKnown } from './turn.ts'
import type { ViewOptions } from './views.ts'

/** The places of the first and the last message that a hand is laid on: a call and its results are never torn. */
export interface HandledUnit {
  readonly first: number
  readonly last: number
}

/** What a person may do with single messages of a thread. What is set already is not written again. */
export interface Hands {
  /** From now on the message is always sent. A message of a round of tools stands for the whole round, here and below. */
  pin(seq: number): Promise<HandledUnit>
  unpin(seq: number): Promise<HandledUnit>
  /** From now on the message is never sent. It stays in the log. Of a pin and a hide the later counts. */
  hide(seq: number): Promise<HandledUnit>
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
      throw wrongPlace(
        `expected the place of a message of the user, the model or a tool, got ${showValue(seq)}`,
      )
    const head = await source.store.head(key)
    if (does === 'hide' && head?.open && handled.last >= head.open.first)
      throw wrongPlace(`message ${seq} is part of the open turn: hide it when that is over`)
    const isSet = (await log.hands())[of].includes(handled.first)
    if (isSet === (does === 'free')) await appendHand(source, { does, seq: handled.first })
    return handled
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

const wrongPlace = (problem: string) => new InvalidOptionError('seq', problem)

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

  constructor(tokens: number, room: number) {
    super(
      'pins_too_large',
      `The pinned messages would take ${tokens} tokens, and there is room for ${room} beside what must be sent: unpin another one, or give the model a larger window.`,
    )
    Object.assign(this, { tokens, room })
  }
}

/** Writes a hand down, between turns or in an open turn that was left. LeaseError while a holder has it. */
async function appendHand(source: HandSource, hand: Hand): Promise<void> {
  const { store, key, owner, leaseMs, now, newId, count } = source
  const options = { id: newId(), time: now(), count, isClosing: true }
  const entries = [toEntry({ message: handMessage, hands: [hand] }, options)]
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

/** Erases an entry's text in all branches that share it; a mark stays. Another entry tells other processes, on every call. */
export async function eraseEntry(source: HandSource, seq: number): Promise<void> {
  const { store, key, count } = source
  const entry = await entryAt(source, seq)
  const sharing = await branchesWith(source, entry)
  // Before anything is erased: afterwards each branch is written to.
  for (const thread of sharing) {
    const { open } = (await store.head(thread)) ?? {}
    if (open && open.expiresInMs > 0) throw turnOpen(thread, open.turn, open.expiresInMs)
  }
  const { message, ...rest } = JSON.parse(entry.payload) as Payload
  const { text } = readMessage(message, seq)
  await store.erase(key, seq, toMark(entry, message, rest, source))
  const prompts = { ...key, actor: promptActor, branch: 'main' }
  for await (const { message: prompt, seq: at, id, time, turn } of readLog({ store, key: prompts, count }))
    if (text.trim() !== '' && text !== erasedText && readMessage(prompt, at).text.includes(text)) {
      const stored = { id, time, turn, seq: at, role: 'system', payload: '', tokens: {} } as const
      await store.erase(prompts, at, toMark(stored, prompt, {}, source))
    }
  const [info] = await store.conversations(key.tenant, { only: key.conversation })
  if (info?.title && text.includes(info.title))
    await store.describeConversation(key.tenant, key.conversation, { title: null })
  await source.forget(key)
  for (const thread of sharing) await appendHand({ ...source, key: thread }, { does: 'erase', seq })
}

interface Payload extends Readonly<Record<string, unknown>> {
  readonly message: MessageLike
}

async function entryAt({ store, key }: HandSource, seq: number): Promise<StoredEntry> {
  if (Number.isSafeInteger(seq) && seq > 0)
    for await (const entry of store.entries(key, { from: seq, to: seq })) {
      const { message } = JSON.parse(entry.payload) as Partial<Payload>
      if (isObject(message) && !isHandEntry({ message: message as unknown as MessageLike })) return entry
    }
  throw wrongPlace(`expected the place of a message, got ${showValue(seq)}`)
}

async function branchesWith({ store, key }: HandSource, { id, seq }: StoredEntry): Promise<ThreadKey[]> {
  const [info] = await store.conversations(key.tenant, { only: key.conversation })
  const sharing: ThreadKey[] = []
  for (const { actor, branch } of info?.threads ?? []) {
    if (actor !== key.actor) continue
    const thread = { ...key, branch }
    for await (const entry of store.entries(thread, { from: seq, to: seq }))
      if (entry.id === id) sharing.push(thread)
  }
  return sharing
}

/** Facts of an entry that say nothing of its text. */
const kept = ['closing', 'isError', 'isBroken', 'calibration', 'learned', 'guest', 'hands']

/** What stands in the place of an entry. Its payload begins with the mark: stores change an entry to nothing else. */
function toMark(entry: StoredEntry, message: MessageLike, payload: object, { count }: HandSource) {
  const facts = Object.entries(payload).filter(([name]) => kept.includes(name))
  const mark = { erased: true, message: erasedMessage(readMessage(message, entry.seq)) }
  const text = JSON.stringify({ ...mark, ...Object.fromEntries(facts) })
  return { payload: text, tokens: recountEntry({ ...entry, payload: text }, count).tokens }
}

/** A message without its text. Calls keep their names and ids, and results those of their calls: they stay pairs. */
function erasedMessage({ role, dialect, calls, results }: Message): MessageLike {
  if (role === 'tool') {
    const [first = { role, content: erasedText }, ...others] = results.map(({ callId: id, name = '' }) =>
      toolResultFor(dialect, { ...(id !== undefined && { id }), name, arguments: '' }, erasedText),
    )
    if (others.length === 0) return first
    return { ...first, content: [first, ...others].flatMap(({ content }) => content as readonly unknown[]) }
  }
  if (calls.length === 0) return { role, content: erasedText }
  if (dialect === 'ai-sdk') {
    const made = calls.map(({ id, name }) => ({
      type: 'tool-call',
      toolCallId: id,
      toolName: name,
      input: {},
    }))
    return { role, content: [{ type: 'text', text: erasedText }, ...made] }
  }
  const made = calls.map(({ id, name }) => ({
    ...(id !== undefined && { id, type: 'function' }),
    function: { name, arguments: dialect === 'openai' ? '{}' : {} },
  }))
  return { role, content: erasedText, tool_calls: made }
}
