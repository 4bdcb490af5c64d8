import type { Role } from '../log/message.ts'
import { present } from '../log/values.ts'
import type { Finished } from './compose/finish.ts'
import { firstSeq } from './conversation/conversation.ts'
import { rangeAt } from './conversation/first-place.ts'
import { tokensByPart, zeros } from './draft/cost.ts'
import type { Frame } from './draft/frame.ts'
import type { Piece } from './draft/piece.ts'
import { findSpan } from './draft/span.ts'
import {
  type ChangingLines,
  type Fate,
  fates,
  type Part,
  type Receipt,
  type ReceiptCut,
  type ReceiptEntry,
  type ReceiptStretch,
  type SentMessage,
  type SharedPrefix,
} from './receipt.ts'

/** Makes the receipt of a finished draft. Its lists are made when first read: a history may be long. */
export function makeReceipt(
  finished: Finished,
  policy: string,
  prefix?: SharedPrefix,
  toolsSaved?: number,
): Receipt {
  const { draft, pieces, tokens } = finished
  const { window, reserve, margin, capacity, count, transcript, origin } = draft.frame
  // The transcript goes on growing with the conversation; the receipt covers the messages of now.
  const end = origin + transcript.entries.length
  const { cut, insertions } = draft
  const seqOf = (unit: number) => origin + transcript.units[unit]!.from
  let sent: readonly SentMessage[] | undefined
  let stretches: readonly ReceiptStretch[] | undefined
  let entries: readonly ReceiptEntry[] | undefined
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
    faults: insertions.flatMap(({ faults = [] }) =>
      faults.map(({ unit, problem }) => ({ seq: seqOf(unit), problem })),
    ),
    // People print receipts: what does not apply is absent.
    ...present({
      cut: cut && toPlaces(cut, seqOf),
      rules: insertions.find(({ rules }) => rules)?.rules,
      changing: draft.frame.changing?.text ? changingIn(finished, prefix) : undefined,
      prefix,
      toolsSaved: toolsSaved || undefined,
    }),
    get counts() {
      return countFates(this.stretches)
    },
    get sent() {
      sent ??= makeSent(finished)
      return sent
    },
    get stretches() {
      stretches ??= makeStretches(finished, this.sent, policy, end)
      return stretches
    },
    get entries() {
      entries ??= makeEntries(draft.frame, this.stretches)
      return entries
    },
  }
}

/** A cut whose units are messages. */
function toPlaces(cut: ReceiptCut, seqOf: (unit: number) => number): ReceiptCut {
  const right = cut.right === undefined ? undefined : seqOf(cut.right)
  return { ...cut, before: seqOf(cut.before), at: seqOf(cut.at), ...present({ right }) }
}

function changingIn({ draft: { frame } }: Finished, prefix?: SharedPrefix): ChangingLines {
  const { lines, tokens, before, messages } = frame.changing!
  if (!prefix) return { lines, tokens }
  const { content } = messages[0]!
  const start = frame.count.text(typeof content === 'string' ? content.slice(0, before) : '')
  const saved = Math.max(0, prefix.tokens - frame.count.prompt - frame.toolTokens - start)
  return { lines, tokens, saved }
}

/** How many messages from a place on have which fate. */
export function countFates(
  stretches: readonly Pick<ReceiptStretch, 'first' | 'last' | 'fate'>[],
  from = Number.NEGATIVE_INFINITY,
): Record<Fate, number> {
  const counts = zeros(fates)
  for (const { first, last, fate } of stretches)
    counts[fate] += Math.max(0, last - Math.max(first, from) + 1)
  return counts
}

/** What is sent, message by message. A message of the input is named once: where it stands itself, else where it is quoted. */
function makeSent({ draft: { frame }, pieces }: Finished): readonly SentMessage[] {
  // A cleared message is named twice where it is recalled: by its line, and by the block that quotes it.
  const named = new Set(pieces.flatMap(({ seqs, isCleared }) => (isCleared ? [] : seqs)))
  const standsFor = new Map<Piece, readonly number[]>()
  const texts = pieces.flatMap(piece => [piece, ...(piece.carries ?? [])])
  const isQuoting = ({ part }: Piece) => part === 'recall'
  for (const piece of [...texts.filter(isQuoting), ...texts.filter(one => !isQuoting(one))]) {
    const seqs = behind(frame, piece).filter(seq => !named.has(seq))
    for (const seq of seqs) named.add(seq)
    standsFor.set(piece, seqs)
  }
  const toSent = (piece: Piece): SentMessage => {
    const { part, tokens, seqs, added, message, remembered } = piece
    const account = {
      part,
      tokens,
      seqs,
      standsFor: standsFor.get(piece)!,
      ...present({ remembered }),
    }
    return added === undefined ? account : { ...account, text: message.text, why: added }
  }
  return pieces.map(piece => ({
    ...toSent(piece),
    ...(piece.carries?.length && { joined: piece.carries.map(toSent) }),
  }))
}

const isQuoted = (role: Role) => role !== 'assistant_note' && role !== 'system'

/** The messages that a text quotes or stands for. Notes, system messages and stray results are in no digest and no block. */
function behind({ transcript, origin }: Frame, { of = [], notes = [] }: Piece): readonly number[] {
  const seqs = notes.map(at => origin + at)
  for (const { from, to } of of)
    for (const unit of transcript.units.slice(from, to))
      for (let at = unit.from; at < unit.to; at++) {
        const stray = unit.strays.get(at)
        if (isQuoted(transcript.entries[at]!.role) && (!stray || stray.results))
          seqs.push(origin + at)
      }
  return seqs
}

type Verdict = Pick<ReceiptEntry, 'fate' | 'rule' | 'why'>

/** The only rule for fates. Sent: kept, altered or cleared; stood for by a text: recalled, moved or digested; else omitted. */
function makeStretches(
  { draft: { frame, spans, cut }, pieces }: Finished,
  sent: readonly SentMessage[],
  policy: string,
  end: number,
): readonly ReceiptStretch[] {
  const { transcript, origin } = frame
  const right = cut?.right === undefined ? end : origin + transcript.units[cut.right]!.from
  const verdicts = new Map<number, Verdict>()
  for (const [place, { seqs }] of sent.entries())
    for (const seq of seqs) verdicts.set(seq, sentVerdict(pieces[place]!, seq >= right))
  // Last: a cleared message that is quoted counts as recalled, wherever its line stands.
  for (const text of sent.flatMap(message => [message, ...(message.joined ?? [])]))
    for (const seq of text.standsFor) verdicts.set(seq, standingVerdict(text, seq))

  const stretches: { first: number; last: number; fate: Fate; rule: string; why: string }[] = []
  const add = (first: number, last: number, { fate, rule, why }: Verdict) => {
    const before = stretches.at(-1)
    if (before?.fate === fate && before.rule === rule && before.why === why) before.last = last
    else stretches.push({ first, last, fate, rule, why })
  }
  let next = firstSeq(frame)
  for (const seq of [...verdicts.keys()].sort((a, b) => a - b)) {
    addOmitted(seq)
    add(seq, seq, verdicts.get(seq)!)
    next = seq + 1
  }
  addOmitted(end)
  return stretches

  function addOmitted(to: number): void {
    while (next < to) {
      const span = next < origin ? undefined : findSpan(spans, unitAt(frame, next - origin).index)
      const reason = span?.fate === 'omitted' ? undefined : unsent(frame, next)
      const last =
        reason || !span ? next : Math.min(to, origin + transcript.units[span.to - 1]!.to) - 1
      const { rule, why } = reason ?? span ?? { rule: policy, why: 'not sent' }
      add(next, last, { fate: 'omitted', rule, why })
      next = last + 1
    }
  }

  function standingVerdict({ part, why = '' }: SentMessage, seq: number): Verdict {
    if (part === 'notes')
      return { fate: 'moved', rule: 'notes', why: 'gathered in the notes section' }
    const fate = part === 'recall' ? 'recalled' : 'digested'
    const span = findSpan(spans, unitAt(frame, seq - origin).index)
    // Where a later rule has cut what is quoted, the quotation counts.
    return span?.fate === fate
      ? { fate, rule: span.rule, why: span.why }
      : { fate, rule: policy, why }
  }
}

const unitAt = ({ transcript: { units } }: Frame, at: number) => units[rangeAt(units, at)]!

function sentVerdict({ part, altered, held, isCleared }: Piece, isLate: boolean): Verdict {
  if (altered) return { fate: isCleared ? 'cleared' : 'altered', ...altered }
  return { ...keptVerdict(part, isLate), ...held }
}

/** Why a message of a part is sent as it is. `isLate`: whether it stands where the last exchanges stay by right. */
export const keptVerdict = (part: Part, isLate = false): Verdict => {
  const rule = isLate && part === 'history' ? 'right' : part
  return { fate: 'kept', rule, why: keptWhy[rule] ?? 'fits' }
}

const keptWhy: Partial<Record<Part | 'right', string>> = {
  system: 'it is a system message',
  first: 'the first user message is always sent',
  latest: 'the end of the latest turn is always sent',
  right: 'the last exchanges, and a pasted text, stay by right',
}

/** The own reason of a note or of a result without a call that is not sent. */
function unsent(frame: Frame, seq: number): Verdict | undefined {
  const at = seq - frame.origin
  if (at < 0) return { fate: 'omitted', ...frame.system.at(at)!.left! }
  const stray = unitAt(frame, at).strays.get(at)
  if (stray && !stray.results) return { fate: 'omitted', rule: 'valid sequence', ...stray }
  const why = frame.notes === false ? 'notes are switched off' : 'no room in the notes section'
  const isNote = frame.transcript.entries[at]!.role === 'assistant_note'
  return isNote ? { fate: 'omitted', rule: 'notes', why } : undefined
}

/** The stretches, message by message. */
function makeEntries(frame: Frame, stretches: readonly ReceiptStretch[]): readonly ReceiptEntry[] {
  const { system, transcript, origin } = frame
  const entries: ReceiptEntry[] = []
  for (const { first, last, ...common } of stretches)
    for (let seq = first; seq <= last; seq++) {
      const { role, tokens } =
        seq < origin ? system.at(seq - origin)! : transcript.entries[seq - origin]!
      const verdict = (common.fate === 'omitted' && unsent(frame, seq)) || common
      entries.push({ seq, role, ...verdict, tokens })
    }
  return entries
}
