import type { MessageLike, ToolCall } from '../../log/message.ts'
import type { TokenCounter } from '../../tokens/counter.ts'
import { addSums } from '../conversation/sums.ts'
import { createTranscript, type NotePlace, type Transcript } from '../conversation/transcript.ts'
import type { Entry, Stray, Unit } from '../conversation/unit.ts'
import { createReader } from '../recall/bytes.ts'
import { adoptIndex, isRecallable } from '../recall/index-transcript.ts'
import { createRecallIndex } from '../recall/recall-index.ts'
import { absentEntry } from './absent-entry.ts'
import { kinds, roles } from './pack-checkpoint.ts'
import { unusable } from './seal.ts'

/** A transcript from its checkpoints, oldest first, without a single text: what a context needs of them is loaded then. */
export function restoreTranscript<M extends MessageLike>(
  count: TokenCounter,
  checkpoints: readonly SavedUnits[],
): Transcript<M> {
  const entries: Entry<M>[] = []
  const units: Unit[] = []
  const sums = { costBefore: [0], noteCostBefore: [0], ordinaryBefore: [0] }
  const systems: number[] = []
  const turns: number[] = []
  const notes: NotePlace[] = []
  const index = createRecallIndex()
  let time: number | undefined

  function add({ kind, roles, tokens, noteTokens, missing, strays }: SavedUnit): void {
    const [at, from] = [units.length, entries.length]
    for (const { role, tokens: own } of roles) {
      if (role === 'assistant_note') notes.push({ at: entries.length, unit: at })
      entries.push(absentEntry(entries.length, role, own))
    }
    if (kind === 'user') turns.push(at)
    if (kind === 'system') systems.push(at)
    const placed = strays.map(stray => ({ ...stray, at: stray.at + from }))
    const unit = { index: at, kind, from, to: entries.length, tokens, noteTokens, missing, strays: placed }
    units.push(unit)
    addSums(sums, unit, turns[0] ?? -1)
  }

  for (const checkpoint of checkpoints) {
    for (const saved of checkpoint.units) {
      add(saved)
      index.restore({ ...saved, tokens: isRecallable(saved) ? saved.tokens : 0 })
    }
    time = checkpoint.time
  }
  const transcript = createTranscript<M>(count, { entries, units, ...sums, systems, turns, notes })
  adoptIndex(transcript, { index, time })
  return transcript
}

interface SavedUnit {
  readonly kind: Unit['kind']
  readonly tokens: number
  readonly noteTokens: number
  readonly missing: readonly ToolCall[]
  readonly strays: readonly Stray[]
  readonly roles: readonly { readonly role: Entry['role']; readonly tokens: number }[]
  readonly beginsSession: boolean
  readonly prior: number
  readonly counts: readonly (readonly [string, number])[]
}

export interface SavedUnits {
  readonly units: readonly SavedUnit[]
  readonly time: number | undefined
}

/** Reads one checkpoint whole before anything is taken from it. */
export function unpackCheckpoint(packed: Uint8Array): SavedUnits {
  const bytes = createReader(packed, unusable)
  const terms = Array.from({ length: bytes.number() }, () => bytes.text())
  const units = Array.from({ length: bytes.number() }, (): SavedUnit => {
    const kind = kinds[bytes.number()]!
    const [tokens, noteTokens, mended] = [bytes.number(), bytes.number(), bytes.text()]
    const { missing, strays } = mended ? JSON.parse(mended) : whole
    const own = Array.from({ length: bytes.number() }, () => ({
      role: roles[bytes.number()]!,
      tokens: bytes.number(),
    }))
    const beginsSession = bytes.number() === 1
    const prior = bytes.float()
    const counts = Array.from(
      { length: bytes.number() },
      () => [terms[bytes.number()]!, bytes.number()] as const,
    )
    return { kind, tokens, noteTokens, missing, strays, roles: own, beginsSession, prior, counts }
  })
  const time = bytes.float()
  return { units, time: Number.isNaN(time) ? undefined : time }
}

const whole = { missing: [], strays: [] }
