import {
  type Conversation,
  copyRulePlaces,
  countUnit,
  createTranscript,
  emptyLists,
  listUnit,
  type Stray,
  savingOf,
  type Unit,
} from '@throughline/core/conversation'
import type { TokenCounter } from '@throughline/core/counters'
import {
  brokenOff,
  type Entry,
  type MessageLike,
  stampEntry,
  type ToolCall,
} from '@throughline/core/messages'
import { indexTranscript, shareIndex } from '@throughline/core/recall'
import { rangeAt } from '@throughline/core/values'

/** What a copy of a transcript changes, by the place of an entry. */
export interface TranscriptChanges {
  /** Units that go, by their index. */
  readonly left: ReadonlyMap<number, Stray>
  /** Whether the room of units that go stays charged, so that earlier ones do not come back for it. */
  readonly isCharged: boolean
  /** Single entries that go from units that stay: notes and results. */
  readonly parts?: ReadonlyMap<number, Stray>
  /** Entries with other words. */
  readonly versions?: ReadonlyMap<number, Entry>
}

export const unitAt = (
  { transcript: { units }, origin }: Conversation,
  seq: number,
): Unit | undefined => (seq < origin ? undefined : units[rangeAt(units, seq - origin)])

/** The message of an entry that is not there: a result that answers no call, which is never sent. */
const nothingMessage: MessageLike = { ...brokenOff }

/** A copy of a transcript without some units, and with other words in some entries. All places stay what they were. */
export function copyTranscript(
  { transcript }: Pick<Conversation, 'transcript'>,
  { left, isCharged, parts = new Map(), versions = new Map() }: TranscriptChanges,
  count: TokenCounter,
) {
  const { units } = transcript
  const changed = new Map<number, number[]>()
  for (const at of [...versions.keys(), ...parts.keys()]) {
    const index = rangeAt(units, at)
    const places = changed.get(index)
    if (places) places.push(at)
    else changed.set(index, [at])
  }
  let last = -1
  for (const index of [...left.keys(), ...changed.keys()]) last = Math.max(last, index)
  // Both share the index: it is read from the texts, before these are gone.
  indexTranscript(transcript, last + 1)
  const entries = transcript.entries.slice()
  const nothing = stampEntry(nothingMessage, 0, count)
  const lists = { ...emptyLists(), entries }
  const leave = (at: number) => {
    const { role, tokens } = entries[at]!
    entries[at] = { ...nothing, role, tokens }
  }
  for (const unit of units) {
    const stray = left.get(unit.index)
    const copied = stray ? leftUnit(unit, stray) : changedUnit(unit, changed.get(unit.index))
    lists.units.push(copied)
    listUnit(lists, unit.index, copied.kind)
    countUnit(lists, unit.index, stray && isCharged ? unit : copied)
    if (!stray) continue
    lists.ordinaryBefore[unit.index + 1] = lists.ordinaryBefore[unit.index]!
    for (let at = unit.from; at < unit.to; at++) leave(at)
  }
  for (const unit of transcript.references) if (!left.has(unit)) lists.references.push(unit)
  for (const note of transcript.notes)
    if (!left.has(note.unit) && !parts.has(note.at)) lists.notes.push(note)
  const copy = createTranscript(count, lists)
  shareIndex(transcript, copy)
  copyRulePlaces(transcript, copy, changed.keys())
  return copy

  function changedUnit(unit: Unit, places: readonly number[] | undefined): Unit {
    if (!places) return unit
    const strays = new Map(unit.strays)
    let { tokens, noteTokens, saving } = unit
    let missing = [...unit.missing]
    for (const at of places) {
      const before = entries[at]!
      const part = parts.get(at)
      const entry = part ? nothing : versions.get(at)!
      if (part) strays.set(at, part)
      if (before.role === 'assistant_note') noteTokens = 0
      else {
        tokens += (part ? 0 : entry.tokens) - before.tokens
        saving += (part ? 0 : savingIn(unit, entry)) - savingIn(unit, before)
        if (part) missing = missing.concat(callsOf(unit, before))
      }
      if (part) leave(at)
      else entries[at] = entry
    }
    const isCalling = unit.kind === 'tools' && entries[unit.from]!.message.calls.length > 0
    const kind = unit.kind === 'tools' && !isCalling ? 'assistant' : unit.kind
    return { ...unit, kind, tokens, noteTokens, saving, strays, missing: isCalling ? missing : [] }
  }

  function savingIn({ kind }: Unit, { tokens, message }: Entry): number {
    return savingOf(kind, tokens, message, count)
  }

  /** The calls that have no result once an entry is gone. */
  function callsOf({ from }: Unit, { message }: Entry): readonly ToolCall[] {
    const ids = new Set(message.results.map(({ callId }) => callId))
    return entries[from]!.message.calls.filter(({ id }) => ids.has(id))
  }
}

function leftUnit(unit: Unit, stray: Stray): Unit {
  const strays = new Map<number, Stray>()
  for (let at = unit.from; at < unit.to; at++) strays.set(at, stray)
  return {
    ...unit,
    kind: 'stray',
    strays,
    touched: [],
    missing: [],
    tokens: 0,
    saving: 0,
    noteTokens: 0,
    refers: false,
  }
}
