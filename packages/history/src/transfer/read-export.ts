import type { TokenCounter } from '@throughline/core/counters'
import { lastPlaceOf } from '../calls/plan.ts'
import { readPlan } from '../calls/read-plan.ts'
import { recountEntry } from '../log/logged-message.ts'
import { fromJson, parseRecord, type TransferRecord } from './export-conversation.ts'
import { atPlace, InvalidImportError } from './import-error.ts'
import type { ReadConversation, ReadThread } from './read-conversation.ts'
import { addEntry, addTurn, countEntries } from './read-conversation.ts'
import type { FileValue } from './values-in.ts'

/** Reads the lines of our own export. `count` counts the entries: the counts of an export are not trusted. */
export async function* readExport(
  values: AsyncIterable<FileValue> | Iterable<FileValue>,
  count: TokenCounter,
): AsyncGenerator<ReadConversation> {
  let line = 0
  let read: (ReadConversation & { readonly threads: ReadThread[] }) | undefined

  /** Takes a record; returns the conversation that it ends. */
  function take(record: TransferRecord): ReadConversation | undefined {
    const place = { line }
    if (record.kind === 'conversation') {
      if (read) throw new Error('the conversation before it has no end: lines are missing.')
      if (record.throughline !== 1)
        throw new Error(`it is of version ${record.throughline}: update throughline.`)
      read = { name: record.conversation, place, description: record, threads: [] }
      return undefined
    }
    if (!read) throw new Error('a line of the kind "conversation" must come before it.')
    if (record.kind === 'end') {
      const ended = read
      if (record.conversation !== ended.name)
        throw new Error('it ends another conversation than the one that has begun.')
      const came = countEntries(ended)
      if (record.entries !== came)
        throw new Error(
          `${came} entries came of the ${record.entries} that were exported: lines are missing.`,
        )
      read = undefined
      return ended
    }
    if (record.kind === 'thread') {
      const { actor, branch, forkOf } = record
      if (read.threads.some(thread => thread.actor === actor && thread.branch === branch))
        throw new Error('its thread came before: lines are doubled.')
      const batches = [{ place, entries: [], turns: [] }]
      read.threads.push({ actor, branch, forkOf, batches, calls: new Map() })
      return undefined
    }
    const thread = read.threads.at(-1)
    if (!thread) throw new Error('a line of the kind "thread" must come before it.')
    addTo(thread, record, line, count)
    return undefined
  }

  for await (const value of values) {
    line = value.line
    const ended = await atPlace({ line }, () => take(parseRecord(value.text)))
    if (ended) yield ended
  }
  if (read)
    throw new InvalidImportError(
      { line },
      'the export ends early: its last conversation has no end.',
    )
}

function addTo(
  thread: ReadThread,
  record: Extract<TransferRecord, { kind: 'turn' | 'entry' | 'call' }>,
  line: number,
  count: TokenCounter,
): void {
  const { calls } = thread
  if (record.kind === 'call') {
    if (calls.has(record.id)) throw new Error('a call with its id came before.')
    const { kind: _, ...call } = record
    const plan = fromJson(call.plan)
    calls.set(call.id, {
      place: { line },
      call: { ...call, plan },
      last: lastPlaceOf(readPlan(plan)),
    })
    return
  }
  if (calls.size > 0) throw new Error('it must come before the calls of its thread.')
  if (record.kind === 'turn') {
    const { kind: _, ...turn } = record
    addTurn(thread, turn, { line })
  } else {
    const { seq, turn, id, role, time, payload } = record
    addEntry(
      thread,
      recountEntry({ seq, turn, id, role, time, payload: fromJson(payload) }, count),
      { line },
    )
  }
}
