import type { Finished } from './compose/finish.ts'
import { movedNotes, tokensByPart } from './draft/cost.ts'
import type { Piece } from './draft/frame.ts'
import {
  type Fate,
  fates,
  type GatheredNote,
  type Inserted,
  type Receipt,
  type ReceiptEntry,
  type ReceiptStretch,
  type SharedPrefix,
} from './receipt.ts'

/** Makes the receipt of a finished draft. Its lines are made when first read: a history may be long. */
export function makeReceipt(finished: Finished, policy: string, prefix?: SharedPrefix): Receipt {
  const { draft, pieces, tokens } = finished
  const { window, reserve, margin, capacity, count, system, transcript } = draft.frame
  // The transcript goes on growing with the conversation; the receipt covers the messages of now.
  const total = system.length + transcript.entries.length
  const moved = movedNotes(draft.frame, draft.spans)
  const { cut, insertions } = draft
  const seqOf = (unit: number) => system.length + transcript.units[unit]!.from
  let lines: readonly ReceiptEntry[] | undefined
  let counts: Record<Fate, number> | undefined
  return {
    policy,
    counter: count.id,
    window,
    reserve,
    margin,
    capacity,
    tokens,
    free: Math.max(0, capacity - tokens),
    over: Math.max(0, tokens - capacity),
    parts: tokensByPart(draft.frame, pieces),
    inserted: insertedOf(pieces),
    notes: gatheredNotes(finished, moved),
    faults: insertions.flatMap(({ faults = [] }) =>
      faults.map(({ unit, problem }) => ({ seq: seqOf(unit), problem })),
    ),
    ...(cut && { cut: { ...cut, before: seqOf(cut.before), at: seqOf(cut.at) } }),
    ...(prefix && { prefix }),
    get counts() {
      counts ??= countFates(this.entries)
      return counts
    },
    get stretches() {
      return makeStretches(finished, moved)
    },
    get entries() {
      lines ??= makeLines(finished, total, moved)
      return lines
    },
  }
}

type Verdict = Pick<ReceiptEntry, 'fate' | 'rule' | 'why'>

/** The stretches, message by message. Inside a stretch, a stray result or an unsent note has its own reason. */
function makeLines(finished: Finished, total: number, moved: readonly number[]): readonly ReceiptEntry[] {
  const { system, transcript, notes } = finished.draft.frame
  const verdicts: Verdict[] = []
  for (const { first, last, ...verdict } of makeStretches(finished, moved))
    for (let seq = first; seq <= last; seq++) verdicts[seq] = verdict
  for (const { strays } of transcript.units)
    for (const [at, { results, why }] of strays)
      if (!results) verdicts[system.length + at] = { fate: 'elided', rule: 'valid sequence', why }
  const lines: ReceiptEntry[] = []
  for (let seq = 0; seq < total; seq++) {
    const { role, tokens } = system[seq] ?? transcript.entries[seq - system.length]!
    const verdict = verdicts[seq]
    const isUnsent = role === 'assistant_note' && !(verdict && isAccounted.test(verdict.fate))
    lines.push({ seq, role, ...(isUnsent ? unsentNote(notes) : verdict!), tokens })
  }
  return lines
}

/** The fates of a note that is sent. */
const isAccounted = /kept|altered|moved/

function makeStretches({ draft, pieces }: Finished, moved: readonly number[]): readonly ReceiptStretch[] {
  const { system, transcript } = draft.frame
  const left = draft.spans.map(({ from, to, fate, rule, why }) => {
    const [first, end] = [transcript.units[from]!.from, transcript.units[to - 1]!.to]
    return { first: system.length + first, last: system.length + end - 1, fate, rule, why }
  })
  const gathered = moved.map(at => {
    const seq = system.length + at
    return { first: seq, last: seq, ...movedNote }
  })
  const sent = pieces.flatMap(piece =>
    piece.seqs.map(seq => ({ first: seq, last: seq, ...sentVerdict(piece) })),
  )
  return [...left, ...gathered, ...sent]
}

const movedNote: Verdict = { fate: 'moved', rule: 'notes', why: 'gathered in the notes section' }

function sentVerdict(piece: Piece): Verdict {
  if (piece.altered) return { fate: 'altered', ...piece.altered }
  return { fate: 'kept', rule: piece.part, why: keptWhy[piece.part] ?? 'fits' }
}

const keptWhy: Partial<Record<string, string>> = {
  system: 'system messages are always sent',
  first: 'the first user message is always sent',
  latest: 'the end of the latest turn is always sent',
}

function unsentNote(place: 'inline' | 'system' | false): Verdict {
  const why = place === false ? 'notes are switched off' : 'no room in the notes section'
  return { fate: 'elided', rule: 'notes', why }
}

function countFates(lines: readonly ReceiptEntry[]): Record<Fate, number> {
  const counts = Object.fromEntries(fates.map(fate => [fate, 0])) as Record<Fate, number>
  for (const { fate } of lines) counts[fate] += 1
  return counts
}

/** The gathered notes, with the first message after each that was written later. */
function gatheredNotes({ draft, pieces }: Finished, moved: readonly number[]): readonly GatheredNote[] {
  const { system, transcript } = draft.frame
  let before = 0
  return moved.map(at => {
    const seq = system.length + at
    // Later system messages may stand in front of all others.
    const isLater = ({ part, seqs: [first = 0] }: Piece) => part !== 'system' && first > seq
    while (before < pieces.length && !isLater(pieces[before]!)) before += 1
    return { seq, before, text: transcript.entries[at]!.message.text }
  })
}

function insertedOf(pieces: readonly Piece[]): readonly Inserted[] {
  return pieces.flatMap((piece, place) =>
    [piece, ...(piece.carries ?? [])].flatMap(({ part, added, message, tokens }) =>
      added === undefined ? [] : [{ part, place, text: message.text, tokens, why: added }],
    ),
  )
}
