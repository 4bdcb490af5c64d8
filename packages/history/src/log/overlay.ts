import type { MessageLike } from '@throughline/core/messages'
import { isCount, isObject } from '@throughline/core/values'

const absences = ['deleted', 'front', 'cut', 'form', 'system', 'note', 'ending'] as const

/**
 * Why the newest request of a client does not hold an entry. `deleted`: it stood between two that are there. `front`: it is
 * older than all of them, and its client has not shown that it sends a window. `cut`: the same, where nothing may come back.
 * `form`: a call, a result or a thought that the client leaves out. `system`: a system message of an earlier
 * request. `note`: a note, which no client has. `ending`: what tells the model how a turn ended.
 */
export type Absence = (typeof absences)[number]

type Run = readonly [first: number, last: number]

/** How the list of a client lies over the thread that it is filed in: what changed. Holds from its entry on. */
export interface Overlay {
  /** Entries that the list does not hold. */
  readonly gone?: readonly (readonly [...run: Run, why: Absence])[]
  /** Entries that it holds again, as they were logged. */
  readonly back?: readonly Run[]
  /** Messages as the client words them now. `words`: as they were logged, without thoughts. */
  readonly versions?: readonly (readonly [seq: number, version: Version])[]
  /** Whether the client was seen to send the newest messages only: then what stands before them was not deleted. */
  readonly isWindow?: true
}

export type Version = MessageLike | 'words'

export type PlacedOverlays = readonly (readonly [seq: number, turn: number, overlay: Overlay])[]

/** What a context leaves out of a thread, and what it words otherwise, when an entry is the last. */
export interface OverlayState {
  /** By entry. `turn`: the one in which it went. */
  readonly absent: ReadonlyMap<number, { readonly why: Absence; readonly turn: number }>
  readonly versions: ReadonlyMap<number, Version>
  readonly isWindow: boolean
}

const isRun = ([first, last]: readonly unknown[]) =>
  isCount(first, 1) && isCount(last, first as number)

export const isOverlay = (value: unknown): value is Overlay =>
  isObject(value) &&
  [value.gone ?? [], value.back ?? [], value.versions ?? []].every(
    list => Array.isArray(list) && list.every(Array.isArray),
  ) &&
  [...((value.gone ?? []) as unknown[][]), ...((value.back ?? []) as unknown[][])].every(isRun) &&
  ((value.gone ?? []) as unknown[][]).every(([, , why]) => absences.includes(why as Absence)) &&
  ((value.versions ?? []) as unknown[][]).every(
    ([seq, version]) =>
      isCount(seq, 1) &&
      (version === 'words' || (isObject(version) && typeof version.role === 'string')),
  )

/** The state at an entry. A run beyond it, which only an import can hold, ends there. */
export function overlayAt(
  placed: PlacedOverlays,
  at = Number.POSITIVE_INFINITY,
): OverlayState | undefined {
  const absent = new Map<number, { readonly why: Absence; readonly turn: number }>()
  const versions = new Map<number, Version>()
  let isWindow = false
  for (const [place, turn, { gone = [], back = [], versions: worded = [], ...rest }] of placed) {
    if (place > at) break
    isWindow ||= rest.isWindow === true
    for (const [first, last] of back)
      for (let seq = first; seq <= Math.min(last, place); seq++) {
        absent.delete(seq)
        versions.delete(seq)
      }
    for (const [first, last, why] of gone)
      for (let seq = first; seq <= Math.min(last, place); seq++) absent.set(seq, { why, turn })
    for (const [seq, version] of worded) if (seq <= place) versions.set(seq, version)
  }
  return absent.size + versions.size > 0 || isWindow ? { absent, versions, isWindow } : undefined
}

/** What a list says of the entries of a stretch. Entries that are not named are held as they were logged. */
export interface Laid {
  readonly absent: ReadonlyMap<number, Absence>
  readonly versions: ReadonlyMap<number, Version>
  readonly isWindow?: boolean
}

/**
 * What changes between the state of a thread and what a list says of it. Undefined if nothing does.
 */
export function overlayBetween(
  before: OverlayState | undefined,
  { absent, versions, isWindow = false }: Laid,
): Overlay | undefined {
  const gone = [...absent].filter(([seq, why]) => before?.absent.get(seq)?.why !== why)
  const isBack = (seq: number) => !absent.has(seq) && !versions.has(seq)
  const back = [...(before?.absent.keys() ?? []), ...(before?.versions.keys() ?? [])].filter(isBack)
  // What is worded otherwise may have been away.
  const shown = [...versions.keys()].filter(seq => before?.absent.has(seq))
  const worded = [...versions].filter(([seq, version]) => {
    const earlier = before?.versions.get(seq)
    return before?.absent.has(seq) || earlier === undefined || !isSame(earlier, version)
  })
  const overlay: Overlay = {
    ...(gone.length > 0 && { gone: toRuns(gone) }),
    ...(back.length + shown.length > 0 && {
      back: toRuns([...back, ...shown].map(seq => [seq, ''] as const)).map(
        ([first, last]) => [first, last] as const,
      ),
    }),
    ...(worded.length > 0 && { versions: worded }),
    ...(isWindow && !before?.isWindow && { isWindow: true }),
  }
  return Object.keys(overlay).length > 0 ? overlay : undefined
}

const isSame = (one: Version, other: Version) => JSON.stringify(one) === JSON.stringify(other)

/** Entries in a row that have the same value. */
function toRuns<Value>(entries: readonly (readonly [seq: number, value: Value])[]) {
  const runs: [first: number, last: number, value: Value][] = []
  for (const [seq, value] of entries.toSorted(([a], [b]) => a - b)) {
    const last = runs.at(-1)
    if (last?.[1] === seq) continue
    if (last && last[1] === seq - 1 && last[2] === value) last[1] = seq
    else runs.push([seq, seq, value])
  }
  return runs
}
