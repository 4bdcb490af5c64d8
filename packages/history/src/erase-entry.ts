import {
  erasedText,
  type Message,
  type MessageLike,
  toolResultFor,
} from '@throughline/core/messages'
import { turnOpen } from '@throughline/stores/errors'
import type { StoredEntry, ThreadKey } from '@throughline/stores/store'
import { words } from '@throughline/stores/words'
import { promptActor } from './calls/calls.ts'
import { copiesOf } from './copies.ts'
import { appendHands, type HandSource, wrongPlace } from './hands.ts'
import { isHandEntry } from './log/hand-entry.ts'
import { type LoggedMessage, readEntry, recountEntry } from './log/logged-message.ts'
import type { Overlay } from './log/overlay.ts'
import { readLog, threadName } from './log/read-log.ts'

/**
 * Erases a message's text in all that a conversation has of it; marks stay. An entry in each thread tells other processes, on
 * every call.
 */
export async function eraseEntry(source: HandSource, seq: number): Promise<void> {
  const { store, key } = source
  const entry = await messageAt(source, seq)
  const copies = await copiesOf(source, entry)
  // Before anything is erased: afterwards each thread is written to.
  for (const { key: thread } of copies) {
    const { open } = (await store.head(thread)) ?? {}
    if (open && open.expiresInMs > 0) throw turnOpen(thread, open.turn, open.expiresInMs)
  }
  const { text } = entry.reading
  for (const { key: thread, places, messages, versions } of copies) {
    for (const place of messages)
      await replaceEntry(source, thread, place, (...one) => toMark(...one, places, source))
    for (const place of versions)
      if (!messages.includes(place))
        await replaceEntry(source, thread, place, one => withoutVersions(one, places, source))
  }
  await erasePrompts(source, text)
  const [info] = await store.conversations(key.tenant, { only: key.conversation })
  if (info?.title && sharesWord(info.title, text))
    await store.describeConversation(key.tenant, key.conversation, { title: null })
  const erasures = [erasureOf.person(info?.person), erasureOf.conversation(key.conversation)]
  await store.saveMarks(
    key,
    erasures.map(mark => ({ mark, at: seq })),
  )
  await source.forget(key)
  for (const { key: thread, places, messages, versions } of copies) {
    const seqs = new Set([...places, ...messages, ...versions])
    await appendHands(
      { ...source, key: thread },
      [...seqs].map(one => ({ does: 'erase', seq: one }) as const),
    )
  }
}

/** Marks that say that something was erased: what a client asks beside conversations may have the words again. */
export const erasureOf = {
  person: (person = '') => `erased:${person}`,
  conversation: (conversation: string) => `erased in:${conversation}`,
}

interface Payload extends Readonly<Record<string, unknown>> {
  readonly message: MessageLike
  readonly overlay?: Overlay
}

async function messageAt(source: HandSource, seq: number): Promise<LoggedMessage> {
  if (Number.isSafeInteger(seq) && seq > 0)
    for await (const entry of readLog(source, { from: seq, to: seq }))
      if (!isHandEntry(entry)) return entry
  throw wrongPlace('expected the place of a message', seq)
}

/** Puts a mark in the place of an entry's payload. */
async function replaceEntry(
  { store, count }: HandSource,
  thread: ThreadKey,
  seq: number,
  toPayload: (entry: StoredEntry, message: Message) => Pick<StoredEntry, 'payload' | 'tokens'>,
): Promise<void> {
  for await (const entry of store.entries(thread, { from: seq, to: seq }))
    await store.erase(
      thread,
      seq,
      toPayload(entry, readEntry(entry, threadName(thread), count).reading),
    )
}

/** Erases the text from system prompts, which may hold what a person has said before. */
async function erasePrompts(source: HandSource, text: string): Promise<void> {
  if (text.trim() === '' || text === erasedText) return
  const { store, key, count } = source
  const prompts = { ...key, actor: promptActor, branch: 'main' }
  for await (const { reading, seq } of readLog({ store, key: prompts, count }))
    if (reading.text.includes(text))
      await replaceEntry(source, prompts, seq, (...one) => toMark(...one, new Set(), source))
}

/** A title is made of words of the conversation. */
function sharesWord(title: string, text: string): boolean {
  const inText = words([text])
  return [...words([title])].some(word => isTelling.test(word) && inText.has(word))
}

/** Shorter words stand in most texts. In scripts without spaces a word has two characters. */
const isTelling = /....|\d|[^\0-\x7f]/

/** Facts of an entry that say nothing of its text. */
const kept = [
  'closing',
  'isError',
  'isBroken',
  'calibration',
  'learned',
  'guest',
  'hands',
  'repeats',
]

/** What stands in the place of an entry. Its payload begins with the mark: stores change an entry to nothing else. */
function toMark(
  entry: StoredEntry,
  message: Message,
  places: ReadonlySet<number>,
  { count }: HandSource,
) {
  const { message: _, overlay, ...rest } = JSON.parse(entry.payload) as Payload
  const facts = Object.entries(rest).filter(([name]) => kept.includes(name))
  return recounted(
    entry,
    {
      erased: true,
      message: erasedMessage(message),
      ...Object.fromEntries(facts),
      ...(overlay && { overlay: withoutWords(overlay, places) }),
    },
    count,
  )
}

/** An entry without the words that its client has for other messages. */
function withoutVersions(entry: StoredEntry, places: ReadonlySet<number>, { count }: HandSource) {
  const { erased: _, part: __, overlay, ...rest } = JSON.parse(entry.payload) as Payload
  const payload = {
    erased: true,
    part: true,
    ...rest,
    ...(overlay && { overlay: withoutWords(overlay, places) }),
  }
  return recounted(entry, payload, count)
}

const withoutWords = (
  { versions = [], ...overlay }: Overlay,
  places: ReadonlySet<number>,
): Overlay => ({
  ...overlay,
  versions: versions.filter(([seq]) => !places.has(seq)),
})

function recounted(entry: StoredEntry, payload: object, count: HandSource['count']) {
  const text = JSON.stringify(payload)
  return { payload: text, tokens: recountEntry({ ...entry, payload: text }, count).tokens }
}

/** A message without its text. Calls keep their names and ids, and results those of their calls: they stay pairs. */
function erasedMessage({ role, dialect, calls, results }: Message): MessageLike {
  if (role === 'tool') {
    const [first = { role, content: erasedText }, ...others] = results.map(
      ({ callId: id, name = '' }) =>
        toolResultFor(
          dialect,
          { ...(id !== undefined && { id }), name, arguments: '' },
          erasedText,
        ),
    )
    if (others.length === 0) return first
    return {
      ...first,
      content: [first, ...others].flatMap(({ content }) => content as readonly unknown[]),
    }
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
