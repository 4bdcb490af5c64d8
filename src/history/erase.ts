import { InvalidOptionError, showValue } from '../log/error.ts'
import type { Message, MessageLike } from '../log/message.ts'
import { isObject } from '../log/parse-json.ts'
import { readMessage } from '../log/parse-message.ts'
import { erasedText } from '../log/texts.ts'
import { toolResultFor } from '../log/write-message.ts'
import { turnOpen } from '../stores/rules/refusals.ts'
import type { StoredEntry, ThreadKey } from '../stores/store.ts'
import { promptActor } from './calls/calls.ts'
import { appendHand, type HandSource } from './hands.ts'
import { isHandEntry } from './log/hand.ts'
import { recountEntry } from './log/logged-message.ts'
import { readLog } from './log/read-log.ts'

export interface EraseSource extends HandSource {
  /** Removes what a person has asked beside conversations, which repeats what was said; and what is in memory. */
  readonly forget: (key: ThreadKey) => Promise<void>
}

/**
 * Erases the text of an entry wherever it is stored, in all branches that share it. The entry stays, as a mark. Another entry says
 * so, and tells other processes to read again. Done again, it changes nothing but says so once more.
 */
export async function eraseEntry(source: EraseSource, seq: number): Promise<void> {
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

async function entryAt({ store, key }: EraseSource, seq: number): Promise<StoredEntry> {
  if (Number.isSafeInteger(seq) && seq > 0)
    for await (const entry of store.entries(key, { from: seq, to: seq })) {
      const { message } = JSON.parse(entry.payload) as Partial<Payload>
      if (isObject(message) && !isHandEntry({ message: message as unknown as MessageLike })) return entry
    }
  throw new InvalidOptionError('seq', `expected the place of a message, got ${showValue(seq)}`)
}

/** The branches that have an entry. */
async function branchesWith({ store, key }: EraseSource, { id, seq }: StoredEntry): Promise<ThreadKey[]> {
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
function toMark(entry: StoredEntry, message: MessageLike, payload: object, { count }: EraseSource) {
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
