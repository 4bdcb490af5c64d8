import {
  type Conversation,
  firstSeq,
  keepLatest,
  type Stray,
  type Transcript,
} from '@throughline/core/conversation'
import type { TokenCounter } from '@throughline/core/counters'
import type { Fields } from '@throughline/core/fields'
import { type Entry, type MessageLike, stampEntry } from '@throughline/core/messages'
import { rangeAt } from '@throughline/core/values'
import { copyTranscript } from './copy-transcript.ts'
import type { Absence, OverlayState, Version } from './overlay.ts'

const reasons: Readonly<Record<Absence, string>> = {
  deleted: 'deleted by its client',
  front: 'deleted by its client',
  cut: 'its client no longer sends it, and has not named the conversation',
  form: 'its client leaves it out, and has not named the conversation',
  system: 'a system message of an earlier request',
  ending: 'how a turn ended: its client does not tell it',
  note: 'its client has not named the conversation: a note comes back only where it does',
}

const strayOf = (why: Absence, turn: number): Stray => ({
  rule: 'request',
  why: `${reasons[why]}${why === 'deleted' || why === 'front' ? ` at turn ${turn}` : ''}`,
})

/** The rule of what is sent as the newest request words it. */
export const byRequest = 'request'

const reworded = { rule: byRequest, why: 'as its client words it now' }
const withoutThoughts = { rule: byRequest, why: 'without its thoughts, as its client sends it' }

const latest = keepLatest<Transcript, Transcript>()

/** A conversation as the newest request of its client holds it. */
export function applyOverlay<View extends Conversation>(
  view: View,
  state: OverlayState | undefined,
  name: string,
  count: TokenCounter,
): View {
  if (!state) return view
  const { transcript: whole, origin } = view
  const key = `${[whole.entries.length, origin]} ${name}`
  const transcript = latest(whole, key, () => {
    const left = new Map<number, Stray>()
    const parts = new Map<number, Stray>()
    for (const [seq, { why, turn }] of state.absent) {
      const at = seq - origin
      if (at < 0 || at >= whole.entries.length) continue
      const unit = whole.units[rangeAt(whole.units, at)]!
      // What follows the message that a unit begins with goes with it, and a call is not sent without one of its results.
      if (unit.from === at || unit.kind === 'tools') left.set(unit.index, strayOf(why, turn))
      else parts.set(at, strayOf(why, turn))
    }
    const isLeft = (at: number) => left.has(rangeAt(whole.units, at))
    for (const at of [...parts.keys()]) if (isLeft(at)) parts.delete(at)
    const versions = new Map<number, Entry>()
    for (const [seq, version] of state.versions) {
      const at = seq - origin
      const entry = whole.entries[at]
      if (entry && !parts.has(at) && !isLeft(at))
        versions.set(at, wordedAs(entry, version, seq, count))
    }
    return copyTranscript(view, { left, isCharged: false, parts, versions }, count)
  })
  // The prompt of the request stands at 0, before what the log leads with.
  const system = view.system.map((entry, place) => {
    const absence = state.absent.get(place + firstSeq(view))
    return absence ? { ...entry, left: { rule: byRequest, why: reasons[absence.why] } } : entry
  })
  const { meaning, quotes } = whole
  return { ...view, system, transcript: Object.assign(transcript, { meaning, quotes }) }
}

function wordedAs(entry: Entry, version: Version, seq: number, count: TokenCounter): Entry {
  const isOwn = version === 'words'
  const source = isOwn ? wordsOf(entry.source) : version
  const stamped = stampEntry(source, seq, count)
  return { ...stamped, altered: stamped.altered ?? (isOwn ? withoutThoughts : reworded) }
}

/** A reply without its thoughts, and without the form in which its provider signed them. */
function wordsOf(source: MessageLike): MessageLike {
  const { thinking: _, blocks: __, ...words } = source as MessageLike & Fields
  return words
}
