import {
  checkpointVersion,
  createReader,
  createWriter,
  packCheckpoint,
  seal,
  type Transcript,
  unitsPerCheckpoint,
  unseal,
  unusable,
} from '@throughline/core/conversation'
import {
  type Calibration,
  learnedIn as learnedBetween,
  type PromptLayout,
} from '@throughline/core/messages'
import { attempt } from '@throughline/core/values'
import type { Head } from '@throughline/stores/store'
import type { Hand } from './hand-entry.ts'
import type { LoggedMessage, QuoteReference } from './logged-message.ts'
import type { PlacedOverlays } from './overlay.ts'
import { idAt, type LogSource } from './read-log.ts'
import { breathe } from './rests.ts'
import { type Loading, whileLoading } from './while-loading.ts'

/** Facts of the log besides its messages. */
export interface LogFacts {
  readonly calibrations: (readonly [seq: number, calibration: Calibration])[]
  /** The place of the first tool result that contexts show in another form: only its beginning, say. */
  clipped?: number | undefined
  /** What was learned of the system prompt, each with all that was known before. */
  readonly layouts: (readonly [seq: number, layout: PromptLayout])[]
  /** What messages have brought back from other conversations. */
  readonly quoted: (readonly [seq: number, quotes: readonly QuoteReference[]])[]
  /** The places of entries in turns of guests. */
  readonly guests: number[]
  readonly hands: (readonly [seq: number, hands: readonly Hand[]])[]
  readonly overlays: PlacedOverlays[number][]
}

/** `lead`: how many system messages the log begins with. */
type LedFacts = LogFacts & { readonly lead: number }

/** Most threads have no hands and no overlays. */
type StoredFacts = Omit<LedFacts, 'hands' | 'overlays'> &
  Pick<Partial<LedFacts>, 'hands' | 'overlays'>

export function addFacts(
  facts: LogFacts,
  { message, view, seq, turn, calibration, learned, quotes, guest, hands, overlay }: LoggedMessage,
): void {
  if (message.role === 'tool' && view !== message) facts.clipped ??= seq
  if (calibration) facts.calibrations.push([seq, calibration])
  if (learned) addLearned(facts.layouts, [seq, learned])
  if (quotes) facts.quoted.push([seq, quotes])
  if (guest !== undefined) facts.guests.push(seq)
  if (hands) facts.hands.push([seq, hands])
  if (overlay) facts.overlays.push([seq, turn, overlay])
}

function addLearned(
  layouts: LogFacts['layouts'],
  [seq, learned]: LogFacts['layouts'][number],
): void {
  layouts.push([seq, { ...layouts.at(-1)?.[1], ...learned }])
}

/** What checkpoints in a row know together. */
export function factsIn(checkpoints: readonly Checkpoint[]): LogFacts {
  const all = checkpoints.map(({ facts }) => facts)
  const layouts: LogFacts['layouts'] = []
  for (const facts of all) for (const learned of facts.layouts) addLearned(layouts, learned)
  return {
    calibrations: all.flatMap(({ calibrations }) => calibrations),
    layouts,
    quoted: all.flatMap(({ quoted }) => quoted),
    guests: all.flatMap(({ guests = [] }) => guests),
    hands: all.flatMap(({ hands = [] }) => hands),
    overlays: all.flatMap(({ overlays = [] }) => overlays),
    clipped: all.find(({ clipped }) => clipped !== undefined)?.clipped,
  }
}

export interface Checkpoint {
  /** How many units there are up to its end. */
  readonly to: number
  /** The place of the last entry that it covers. */
  readonly at: number
  /** The id of that entry, and of the one before its first: no other log has the same. */
  readonly id: string | undefined
  readonly follows: string | undefined
  readonly facts: StoredFacts
  readonly packed: Uint8Array
}

/** The last checkpoint is written again whenever it has this many more units: a restart reads the texts of fewer. */
export const unitsPerSaving = 128

/** This many full checkpoints are stored together: each cache takes its time. Until then each has its own. */
const bundled = 16

/** Caches that are asked for at the same time: a database over a network takes its time for each. */
const atOnce = 16

/** The checkpoints of a thread, oldest first, up to the first that is missing or unreadable: they are only caches. */
export async function loadCheckpoints(
  source: LogSource,
  head: Head,
): Promise<readonly Checkpoint[]> {
  const checkpoints: Checkpoint[] = []
  async function load(names: readonly string[]): Promise<void> {
    for (let next = 0; next < names.length; next += atOnce) {
      const loads = names.slice(next, next + atOnce).map(name => loadCache(source, head, name))
      for (const loaded of await Promise.all(loads)) {
        if (!loaded[0] || numberOf(loaded[0].to) !== checkpoints.length) return
        for (const one of loaded) {
          if (checkpoints.length > 0 && one.follows !== checkpoints.at(-1)!.id) return
          checkpoints.push(one)
        }
      }
    }
  }
  // A unit has an entry at least, and the last one is in no checkpoint.
  const most = head.head > unitsPerSaving ? numberOf(head.head - 1) + 1 : 0
  // The branch it was forked from may have filled a bundle that it shares the beginning of.
  const bundles = Math.floor(most / bundled) + (head.forkOf ? 1 : 0)
  await load(Array.from({ length: bundles }, (_, number) => bundleName(source, number)))
  const left = Math.min(most - checkpoints.length, bundled - (checkpoints.length % bundled))
  await load(Array.from({ length: left }, (_, n) => singleName(source, checkpoints.length + n)))
  const last = checkpoints.at(-1)
  // Checkpoints of another log, whatever brought them here, say wrong sizes and words.
  return last && last.id === (await idAt(source.store, source.key, last.at)) ? checkpoints : []
}

/** The checkpoint in which a number of units ends. */
const numberOf = (units: number) => Math.ceil(units / unitsPerCheckpoint) - 1

const singleName = ({ count }: LogSource, number: number) =>
  `units 1 ${count.id} ${number % bundled}`
const bundleName = ({ count }: LogSource, number: number) => `units 1 ${count.id} bundle ${number}`

/** The name of the cache that is written when this many units are in checkpoints. */
export function cacheName(source: LogSource, units: number): string {
  const number = numberOf(units)
  return endsBundle(units)
    ? bundleName(source, Math.floor(number / bundled))
    : singleName(source, number)
}

export const endsBundle = (units: number) => units % (bundled * unitsPerCheckpoint) === 0

/** The checkpoints in a cache; none if it is missing or unreadable. */
async function loadCache(
  source: LogSource,
  head: Head,
  name: string,
): Promise<readonly Checkpoint[]> {
  const { store, key } = source
  const saved = await store.loadCache(key, name)
  const { forkOf } = head
  if (saved) return saved.at <= head.head ? fromBytes(saved.bytes) : []
  if (!forkOf) return []
  // A branch shares the past of the branch it was forked from, and so its checkpoints.
  const parent = { ...source, key: { ...key, branch: forkOf.branch } }
  const parentHead = await store.head(parent.key)
  const shared = parentHead ? await loadCache(parent, parentHead, name) : []
  // A unit that ends at the fork may grow differently on the new branch.
  return shared.filter(({ at }) => at < forkOf.at)
}

/** Stores the checkpoints that are not stored yet, of all units but the first `kept`. Returns how many units are in them. */
export async function saveCheckpoints(
  loading: Loading,
  transcript: Transcript,
  facts: LedFacts,
  kept: number,
): Promise<number> {
  const { source } = loading
  const { store, key } = source
  const make = async (to: number) => {
    const made = await whileLoading(transcript, loading, () =>
      makeCheckpoint(transcript, facts, to),
    )
    return withIds(source, made)
  }

  /** A full checkpoint that has been stored before. */
  async function madeBefore(head: Head, to: number): Promise<Checkpoint> {
    const [saved] = await loadCache(source, head, cacheName(source, to))
    return saved?.to === to ? saved : make(to)
  }

  let units = kept
  // The last unit may still grow.
  const settled = transcript.units.length - 1 - ((transcript.units.length - 1) % unitsPerSaving)
  while (units < settled) {
    const to = Math.min(settled, units - (units % unitsPerCheckpoint) + unitsPerCheckpoint)
    try {
      const checkpoints: Checkpoint[] = []
      if (endsBundle(to)) {
        const head = await store.head(key)
        for (let n = bundled - 1; n > 0; n--)
          checkpoints.push(await madeBefore(head!, to - n * unitsPerCheckpoint))
      }
      checkpoints.push(await make(to))
      await store.saveCache(
        key,
        cacheName(source, to),
        checkpoints.at(-1)!.at,
        toBytes(checkpoints),
      )
    } catch {
      // A checkpoint that cannot be stored only costs time at the next start.
      return units
    }
    units = to
    if (units < settled) await breathe()
  }
  return units
}

/** Makes the checkpoint that ends with some units. Throws `EntryNeeded` when a text of it is not in memory. */
export function makeCheckpoint(
  transcript: Transcript,
  { lead, calibrations, layouts, quoted, guests, hands, overlays, clipped = 0 }: LedFacts,
  to: number,
): MadeCheckpoint {
  const number = numberOf(to)
  const first = lead + transcript.units[number * unitsPerCheckpoint]!.from + 1
  const at = lead + transcript.units[to - 1]!.to
  const isOwn = (seq: number) => seq >= first && seq <= at
  const ownHands = hands.filter(([seq]) => isOwn(seq))
  const ownOverlays = overlays.filter(([seq]) => isOwn(seq))
  const facts = {
    lead,
    calibrations: calibrations.filter(([seq]) => isOwn(seq)),
    layouts: learnedIn(layouts.filter(([seq]) => isOwn(seq))),
    quoted: quoted.filter(([seq]) => isOwn(seq)),
    guests: guests.filter(isOwn),
    ...(ownHands.length > 0 && { hands: ownHands }),
    ...(ownOverlays.length > 0 && { overlays: ownOverlays }),
    ...(isOwn(clipped) && { clipped }),
  }
  return { to, at, after: first - 1, facts, packed: packCheckpoint(transcript, number, to) }
}

/** A checkpoint whose log is not told yet; `after`: the place before its first entry. */
type MadeCheckpoint = Omit<Checkpoint, 'id' | 'follows'> & { readonly after: number }

export async function withIds(
  { store, key }: LogSource,
  { after, ...made }: MadeCheckpoint,
): Promise<Checkpoint> {
  return { ...made, follows: await idAt(store, key, after), id: await idAt(store, key, made.at) }
}

/** The first layout, and what each later one adds to the one before. */
const learnedIn = (layouts: LogFacts['layouts']): LogFacts['layouts'] =>
  layouts.map(
    ([seq, layout], at) => [seq, learnedBetween(layout, layouts[at - 1]?.[1]) ?? {}] as const,
  )

/** Layout: what is known of each checkpoint besides its units, as JSON, then the packed units of each, aligned. */
export function toBytes(checkpoints: readonly Checkpoint[]): Uint8Array {
  const bytes = createWriter()
  bytes.text(
    JSON.stringify(checkpoints.map(({ packed, ...rest }) => ({ ...rest, size: packed.length }))),
  )
  for (const { packed } of checkpoints) {
    bytes.align()
    bytes.bytes(packed)
  }
  return seal(checkpointVersion, bytes.done())
}

function fromBytes(sealed: Uint8Array): readonly Checkpoint[] {
  return attempt(() => {
    const bytes = createReader(unseal(checkpointVersion, sealed, unusable), unusable)
    const heads = JSON.parse(bytes.text()) as readonly (Omit<Checkpoint, 'packed'> & {
      size: number
    })[]
    return heads.map(({ size, ...rest }) => {
      bytes.align()
      return { ...rest, packed: bytes.bytes(size) }
    })
  }, [])
}
