import {
  checkpointVersion,
  createConversation,
  emptyEntries,
  isSealedAs,
  unitsPerCheckpoint,
} from '@throughline/core/conversation'
import type { TokenCounter } from '@throughline/core/counters'
import { stampEntry } from '@throughline/core/messages'
import { plural } from '@throughline/core/values'
import { CorruptEntryError } from '@throughline/stores/errors'
import type { StoredEntry } from '@throughline/stores/store'
import type { Checkpoint, LogFacts } from './checkpoints.ts'
import {
  addFacts,
  cacheName,
  endsBundle,
  makeCheckpoint,
  toBytes,
  unitsPerSaving,
  withIds,
} from './checkpoints.ts'
import { fromEntry, type LoggedMessage } from './logged-message.ts'
import { type LogSource, threadName } from './read-log.ts'

/** Reads a thread, makes its checkpoints again and names the faults. A missing one is no fault; `rebuild` replaces all of them. */
export async function checkLog(
  source: LogSource,
  { rebuild = false }: { readonly rebuild?: boolean } = {},
) {
  const { store, key, count } = source
  const conversation = createConversation(count)
  const { transcript } = conversation
  const facts: LogFacts = {
    calibrations: [],
    layouts: [],
    quoted: [],
    guests: [],
    hands: [],
    overlays: [],
  }
  const problems: string[] = []
  const name = threadName(key)
  let next = unitsPerSaving
  /** The full checkpoints of the bundle that is being read. */
  let full: Checkpoint[] = []
  /** What the caches of single checkpoints should hold in the end. */
  const singles = new Map<string, Checkpoint>()
  /** By cache: 0 when a checkpoint of the log ends where it does, else the units where that was looked for last. */
  const looked = new Map<string, number>()

  const make = (to: number) =>
    withIds(source, makeCheckpoint(transcript, { lead: conversation.system.length, ...facts }, to))
  const addStrange = (to: number) =>
    problems.push(`${name}: the checkpoint of ${to} units is not what the log says`)
  const save = (slot: string, checkpoints: readonly Checkpoint[]) =>
    store.saveCache(key, slot, checkpoints.at(-1)!.at, toBytes(checkpoints))

  /** Compares the cache that is written when this many units are in checkpoints. */
  async function compare(to: number): Promise<void> {
    const slot = cacheName(source, to)
    const stored = await store.loadCache(key, slot)
    // One of an earlier version is as good as missing.
    const kept = stored && isSealedAs(checkpointVersion, stored.bytes) ? stored : undefined
    const isFull = to % unitsPerCheckpoint === 0
    // A cache takes one checkpoint after the other: it has this one, or another one of the log.
    const isKept = kept?.at === conversation.system.length + transcript.units[to - 1]!.to
    if (kept && looked.get(slot) !== 0) looked.set(slot, isKept ? 0 : to)
    if (!isFull && !isKept) return
    const made = await make(to)
    const checkpoints = [...full, made]
    if (isKept && !isSame(kept.bytes, toBytes(endsBundle(to) ? checkpoints : [made])))
      addStrange(to)
    if (!isFull) return
    full = endsBundle(to) ? [] : checkpoints
    if (!endsBundle(to)) singles.set(slot, made)
    else if (rebuild) await save(slot, checkpoints)
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
  // Behind an entry that cannot be read, nothing was looked for.
  if (!isBroken) for (const to of looked.values()) if (to > 0) addStrange(to)
  if (!rebuild) return problems
  const last = next - unitsPerSaving
  if (last % unitsPerCheckpoint > 0) singles.set(cacheName(source, last), await make(last))
  for (const [slot, single] of singles) await save(slot, [single])
  return problems
}

function recount(
  entry: StoredEntry,
  name: string,
  count: TokenCounter,
  problems: string[],
): LoggedMessage {
  const logged = fromEntry({ ...entry, tokens: {} }, name, count)
  const { tokens } = stampEntry(logged.view, entry.seq, count)
  const stored = entry.tokens[count.id] ?? tokens
  if (stored !== tokens)
    problems.push(
      `${name}: entry ${entry.seq} has ${plural(tokens, 'token')}, its count says ${stored}`,
    )
  return logged
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at])
}
