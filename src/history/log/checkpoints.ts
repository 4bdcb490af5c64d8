import {
  checkpointVersion,
  packCheckpoint,
  unitsPerCheckpoint,
  unusable,
} from '../../context/checkpoint/pack-checkpoint.ts'
import type { Transcript } from '../../context/conversation/transcript.ts'
import { createReader, createWriter, seal, unseal } from '../../log/pack-bytes.ts'
import type { Head } from '../../stores/store.ts'
import type { Calibration } from '../../tokens/calibration.ts'
import type { LoggedMessage } from './logged-message.ts'
import type { LogSource } from './read-log.ts'
import { type Loading, whileLoading } from './while-loading.ts'

/** Facts of the log besides its messages. */
export interface LogFacts {
  readonly calibrations: (readonly [seq: number, calibration: Calibration])[]
  /** The place of the first tool result that contexts show in another form: only its beginning, say. */
  clipped?: number | undefined
}

/** `lead`: how many system messages the log begins with. */
type LedFacts = LogFacts & { readonly lead: number }

export function addFacts(facts: LogFacts, { message, view, seq, calibration }: LoggedMessage): void {
  if (message.role === 'tool' && view !== message) facts.clipped ??= seq
  if (calibration) facts.calibrations.push([seq, calibration])
}

export interface Checkpoint {
  /** The place of the last entry that the checkpoint covers. */
  readonly at: number
  readonly facts: LedFacts
  readonly packed: Uint8Array
}

/** The checkpoints of a thread, oldest first, up to the first that is missing or unreadable: they are only caches. */
export async function loadCheckpoints(source: LogSource, head: Head): Promise<readonly Checkpoint[]> {
  const found: Checkpoint[] = []
  // A unit has an entry at least, and the last one has no checkpoint.
  const most = Math.floor((head.head - 1) / unitsPerCheckpoint)
  while (found.length < most) {
    const asked = Array.from({ length: Math.min(atOnce, most - found.length) }, (_, n) => found.length + n)
    const loaded = await Promise.all(asked.map(number => loadOne(source, head, number)))
    const gap = loaded.indexOf(undefined)
    for (const one of gap < 0 ? loaded : loaded.slice(0, gap)) found.push(one!)
    if (gap >= 0) break
  }
  return found
}

/** Checkpoints that are asked for at the same time: a database over a network takes its time for each. */
const atOnce = 16

async function loadOne(source: LogSource, head: Head, number: number): Promise<Checkpoint | undefined> {
  const { store, key } = source
  const saved = await store.loadCache(key, cacheKey(source, number))
  const { forkOf } = head
  if (saved) return saved.at <= head.head ? fromBytes(saved.at, saved.bytes) : undefined
  if (!forkOf) return undefined
  // A branch shares the past of the branch it was forked from, and so its checkpoints.
  const parent = { ...source, key: { ...key, branch: forkOf.branch } }
  const parentHead = await store.head(parent.key)
  const shared = parentHead && (await loadOne(parent, parentHead, number))
  // A unit that ends at the fork may grow differently on the new branch.
  return shared && shared.at < forkOf.at ? shared : undefined
}

/** Stores the checkpoints that are complete and not yet stored. Returns how many are stored in all. */
export async function saveCheckpoints(
  loading: Loading,
  transcript: Transcript,
  facts: LedFacts,
  kept: number,
): Promise<number> {
  const { source } = loading
  let number = kept
  // The last unit may still grow.
  while ((number + 1) * unitsPerCheckpoint < transcript.units.length) {
    try {
      const { at, bytes } = await whileLoading(transcript, loading, () =>
        makeCheckpoint(transcript, facts, number),
      )
      await source.store.saveCache(source.key, cacheKey(source, number), at, bytes)
    } catch {
      // A checkpoint that cannot be stored only costs time at the next start.
      return number
    }
    number += 1
  }
  return number
}

/** Makes one checkpoint. Throws `EntryNeeded` when a text of it is not in memory. */
export function makeCheckpoint(
  transcript: Transcript,
  { lead, calibrations, clipped = 0 }: LedFacts,
  number: number,
): { readonly at: number; readonly bytes: Uint8Array } {
  const [from, to] = [number * unitsPerCheckpoint, (number + 1) * unitsPerCheckpoint]
  const first = lead + transcript.units[from]!.from + 1
  const at = lead + transcript.units[to - 1]!.to
  const isOwn = (seq: number) => seq >= first && seq <= at
  const own = {
    lead,
    calibrations: calibrations.filter(([seq]) => isOwn(seq)),
    ...(isOwn(clipped) && { clipped }),
  }
  return { at, bytes: toBytes(own, packCheckpoint(transcript, number)) }
}

export const cacheKey = ({ count }: LogSource, number: number) => `units 1 ${count.id} ${number}`

/** Layout: the facts as JSON, then the packed units, aligned. */
function toBytes(facts: LedFacts, packed: Uint8Array): Uint8Array {
  const bytes = createWriter()
  bytes.text(JSON.stringify(facts))
  bytes.align()
  bytes.bytes(packed)
  return seal(checkpointVersion, bytes.done())
}

function fromBytes(at: number, sealed: Uint8Array): Checkpoint | undefined {
  try {
    const bytes = createReader(unseal(checkpointVersion, sealed, unusable), unusable)
    const facts = JSON.parse(bytes.text()) as LedFacts
    bytes.align()
    return { at, facts, packed: bytes.rest() }
  } catch {
    return undefined
  }
}
