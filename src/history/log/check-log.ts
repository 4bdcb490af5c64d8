import { emptyEntries } from '../../context/checkpoint/absent-entry.ts'
import { unitsPerCheckpoint } from '../../context/checkpoint/pack-checkpoint.ts'
import { createConversation } from '../../context/conversation/conversation.ts'
import { stampEntry } from '../../context/conversation/stamp-entry.ts'
import { plural } from '../../log/line.ts'
import type { StoredEntry } from '../../stores/store.ts'
import { CorruptEntryError } from '../../stores/store-error.ts'
import type { TokenCounter } from '../../tokens/create-counter.ts'
import {
  addFacts,
  type Checkpoint,
  cacheName,
  endsBundle,
  type LogFacts,
  makeCheckpoint,
  toBytes,
  unitsPerSaving,
} from './checkpoints.ts'
import { fromEntry, type LoggedMessage } from './logged-message.ts'
import { type LogSource, threadName } from './read-log.ts'

/**
 * Reads a thread as contexts do, makes its checkpoints again and compares them with the stored ones. Returns the faults
 * in words; `rebuild` replaces the stored checkpoints. A missing checkpoint is no fault.
 */
export async function checkLog(
  source: LogSource,
  { rebuild = false }: { readonly rebuild?: boolean } = {},
): Promise<readonly string[]> {
  const { store, key, count } = source
  const conversation = createConversation(count)
  const { transcript } = conversation
  const facts: LogFacts = { calibrations: [] }
  const problems: string[] = []
  const name = threadName(key)
  let next = unitsPerSaving
  /** The full checkpoints of the bundle that is being read. */
  let full: Checkpoint[] = []

  /** Compares the cache that is written when so many units are in checkpoints. */
  async function compare(to: number): Promise<void> {
    const lead = conversation.system.length
    const kept = await store.loadCache(key, cacheName(source, to))
    const isFull = to % unitsPerCheckpoint === 0
    // A cache takes one checkpoint after the other: it has another one now, or this one.
    const isKept = kept?.at === lead + transcript.units[to - 1]!.to
    if (!isFull && !isKept) return
    const made = makeCheckpoint(transcript, { lead, ...facts }, to)
    if (isFull) full.push(made)
    const bytes = toBytes(endsBundle(to) ? full : [made])
    if (isKept && !isSame(kept.bytes, bytes))
      problems.push(`${name}: the checkpoint of ${to} units is not what the log says`)
    if (rebuild) await store.saveCache(key, cacheName(source, to), made.at, bytes)
    if (!isFull) return
    if (endsBundle(to)) full = []
    const { from } = transcript.units[to - unitsPerCheckpoint]!
    emptyEntries(transcript, from, transcript.units[to]!.from)
  }

  let isBroken = false
  const report = (error: unknown) => {
    if (!(error instanceof CorruptEntryError)) throw error
    isBroken = true
    problems.push(error.message)
  }
  try {
    for await (const entry of store.entries(key)) {
      try {
        const logged = recount(entry, name, count, problems)
        // Checkpoints end before the first entry that cannot be read.
        if (isBroken) continue
        addFacts(facts, logged)
        conversation.append(logged.view, logged.seq)
      } catch (error) {
        report(error)
      }
      if (transcript.units.length > next) {
        await compare(next)
        next += unitsPerSaving
      }
    }
  } catch (error) {
    report(error)
  }
  return problems
}

/** Reads an entry and counts its tokens again. */
function recount(entry: StoredEntry, name: string, count: TokenCounter, problems: string[]): LoggedMessage {
  const logged = fromEntry({ ...entry, tokens: {} }, name, count)
  const { tokens } = stampEntry(logged.view, entry.seq, count)
  const stored = entry.tokens[count.id] ?? tokens
  if (stored !== tokens)
    problems.push(`${name}: entry ${entry.seq} has ${plural(tokens, 'token')}, its count says ${stored}`)
  return logged
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at])
}
