import { type Message, textMessage } from '../../log/message.ts'
import { openRound } from '../../log/round.ts'
import { tellResult } from '../../log/telling.ts'
import { inlineNote, interruptedResult, leftOutMark } from '../../log/texts.ts'
import {
  toolResultFor,
  withoutResults,
  withResultTexts,
  withTail,
} from '../../log/write-message.ts'
import { isCleared } from '../conversation/clearing.ts'
import { placeOf } from '../conversation/first-place.ts'
import { keepLatest } from '../conversation/remember.ts'
import { type Entry, isQuotedNote } from '../conversation/stamp-entry.ts'
import { isReference } from '../conversation/touched.ts'
import { lineTokens, savingOf, type Unit } from '../conversation/unit.ts'
import { fixedIn, gatherNotes, needsMarker, referredBy, textCost } from '../draft/cost.ts'
import type { Draft } from '../draft/draft.ts'
import type { Frame } from '../draft/frame.ts'
import { entryPiece, type Piece, rewritten } from '../draft/piece.ts'
import { findSpan, type Insertion } from '../draft/span.ts'
import { askedLine } from './asked-line.ts'

/** The pieces of a draft in the order in which they are sent, before any shape is applied. */
export function compose(draft: Draft): readonly Piece[] {
  const { frame, insertions, units } = draft
  const { transcript } = frame
  const pieces: Piece[] = [...frame.head]
  const add = (added: Added) => pieces.push(addedPiece(frame, added))

  const afterFirst = () => {
    if (needsMarker(frame, draft.spans) && frame.markerUnit < 0) {
      add({ part: 'marker', role: 'system', text: frame.marker, why: 'messages were left out' })
    }
    const notes = gatherNotes(frame, draft.spans)
    if (notes?.text) {
      const why = 'notes of replies that were left out'
      add({ part: 'notes', role: 'system', text: notes.text, why, notes: notes.moved })
    }
  }

  const moved = new Set(draft.systemsFirst ? transcript.systems : [])
  moved.delete(frame.markerUnit)
  for (const index of moved)
    if (frame.fixed.has(index))
      for (const piece of unitPieces(frame, units[index]!))
        pieces.push({ ...piece, part: 'system' })
  const rules = insertions.find(({ part }) => part === 'rules')
  if (rules) add(rules)
  if (transcript.firstUser < 0) afterFirst()
  let next = 0
  const insertUpTo = (index: number) => {
    for (; next < insertions.length && insertions[next]!.before <= index; next++) {
      const { quotes, remembered, part } = insertions[next]!
      if (quotes === undefined && !remembered && part !== 'rules') add(insertions[next]!)
    }
  }
  const referredOf = referredBy(draft)
  const { changing } = frame
  let isApart = !changing?.text
  /** Behind what was recalled for the same message, which stays where it is. */
  const addChanging = (index: number) => {
    if (isApart || index < changing!.unit) return
    isApart = true
    const { role, text } = changing!
    add({ part: 'changing', role, text, why: 'changing lines of the system prompt' })
  }
  const remembering = insertions.find(({ remembered }) => remembered)
  const quoting = insertions.find(({ quotes }) => quotes !== undefined)
  for (const index of sentUnits(draft)) {
    // Inserted texts follow the first user message; only what is recalled for a round of its turn stands before it.
    const first = insertions[next]
    if (index > transcript.firstUser || (first?.part === 'recall' && first.before === index))
      insertUpTo(index)
    if (moved.has(index)) continue
    if (remembering?.before === index) add(remembering)
    addChanging(index)
    const isShort = isCleared(transcript, draft.cleared, index) && !frame.fixed.has(index)
    const referred = referredOf.get(index)
    const sent = unitPieces(frame, units[index]!, isShort)
    for (const piece of referred === undefined
      ? sent
      : sent.map(one => referringPiece(frame, one, units[referred]!)))
      pieces.push(quoting?.quotes === index ? quotedPiece(draft, piece, quoting) : piece)
    if (index === transcript.firstUser) afterFirst()
  }
  insertUpTo(units.length)
  addChanging(units.length)
  return frame.leaveOut ? pieces.map(piece => withoutFiles(frame, piece)) : pieces
}

/** A piece with words in place of the files that the model does not take. */
function withoutFiles(frame: Frame, piece: Piece): Piece {
  const { media, unknown } = piece.message
  const left = media === 0 && unknown === '' ? undefined : frame.leaveOut?.(piece.raw)
  if (!left) return piece
  return rewritten(frame, { ...piece, altered: { rule: 'files', why: left.why } }, left.message)
}

/** Indexes of the units that are sent, oldest first: those that were kept, and the protected ones. */
function* sentUnits({ frame, spans, units }: Draft): Generator<number> {
  let at = 0
  for (const span of [...spans, { from: units.length, to: units.length }]) {
    for (; at < span.from; at++) yield at
    yield* fixedIn(frame, span)
    at = Math.max(at, span.to)
  }
}

/** The messages of one unit as they are sent: the caller's own objects wherever nothing had to be repaired. */
function unitPieces(frame: Frame, unit: Unit, isShort = false): Piece[] {
  if (unit.kind === 'note' || unit.kind === 'stray') return []
  const { entries, firstUser } = frame.transcript
  const pieces: Piece[] = []
  const notes: number[] = []
  const sent = frame.exchange.get(unit.index)
  const held = frame.held.get(unit.index)
  const part =
    unit.index === firstUser ? 'first' : frame.ends.includes(unit.index) ? 'latest' : 'history'
  for (let at = unit.from; at < unit.to; at++) {
    const entry = (at === unit.from && sent) || asWritten(frame, entries[at]!)
    const piece = { ...entryPiece(entry, part, frame.origin + at), held }
    const stray = unit.strays.get(at)
    if (piece.message.role === 'assistant_note') notes.push(at)
    else if (!stray) pieces.push(isShort ? clearedPiece(frame, piece, unit) : piece)
    else if (stray.results) {
      const altered = { rule: 'valid sequence', why: `one of its results ${stray.why}` }
      pieces.push(rewritten(frame, { ...piece, altered }, withoutResults(piece.raw, stray.results)))
    }
  }
  if (notes.length > 0 && frame.notes === 'inline') pieces[0] = withNotes(frame, pieces[0]!, notes)
  // Providers refuse a call without a result: one is added that says so.
  for (const call of unit.missing) {
    const raw = toolResultFor(entries[unit.from]!.message.dialect, call, interruptedResult)
    const added = `the call of "${call.name}" never got a result`
    pieces.push(rewritten(frame, { part, seqs: [], added }, raw))
  }
  return inCallOrder(pieces)
}

/** An entry without the marks that tell a text from a note, where all is sent as it was written. */
function asWritten({ isWhole, quoteNotes, transcript }: Frame, entry: Entry): Entry {
  if (!isWhole || quoteNotes === 'always' || !isQuotedNote(entry) || transcript.notes.length > 0)
    return entry
  const { source, original } = entry
  return { ...entry, raw: source, message: original, altered: undefined }
}

/** The pieces of a unit, with the results of a round in the order of its calls: tools that run side by side end in any order. */
function inCallOrder(pieces: Piece[]): Piece[] {
  const [head, ...results] = pieces
  if (!head || results.length < 2) return pieces
  const round = openRound(head.message.calls, head.message.results)
  const places = new Map(
    results.map(piece => [piece, round.take(piece.message.results[0] ?? { text: '' })]),
  )
  return [head, ...results.sort((a, b) => places.get(a)! - places.get(b)!)]
}

/** A result that only says that an earlier one still holds, with the text of that one. */
function referringPiece(frame: Frame, piece: Piece, { from, to }: Unit): Piece {
  const { entries } = frame.transcript
  const places = piece.message.results.flatMap(({ text }, place) =>
    isReference(text) ? [place] : [],
  )
  const at = entries
    .slice(from, to)
    .findIndex(({ message }) => message.results.some(({ text }) => text !== ''))
  if (places.length === 0 || at < 0) return piece
  const text = entries[from + at]!.message.results.map(result => result.text).join('\n')
  const why = `it refers to #${frame.origin + from + at}, which is not sent whole: that result is sent here`
  const texts = new Map(places.map(place => [place, text]))
  return rewritten(
    frame,
    { ...piece, altered: { rule: 'references', why } },
    withResultTexts(piece.raw, texts),
  )
}

const latestLine = keepLatest<Message, Piece>()

/** A long result as one line that names it, and says that it is not the result. It is told and counted once: there may be hundreds. */
function clearedPiece(frame: Frame, piece: Piece, unit: Unit): Piece {
  const { message, raw, seqs, tokens } = piece
  const { count } = frame
  if (savingOf(unit.kind, tokens, message, count) === 0) return piece
  const name = `#${seqs[0]}`
  const altered = { rule: 'cleared', why: `cleared: ${tokens} tokens, in the log as ${name}` }
  const head = leftOutMark(tokens, seqs[0]!, frame.isReadable)
  // A line is limited in characters and paid in tokens: it is shortened until it fits.
  const most = lineTokens(count)
  const request = requestBefore(frame, unit)
  const line = latestLine(message, `${head} ${count.id} ${request}`, () => {
    const { entries } = frame.transcript
    const texts = message.results.map(({ text }) => {
      const asked = request < 0 ? undefined : askedLine(text, entries[request]!.message)
      return { text, asked }
    })
    for (let characters = most * 3; ; characters = Math.floor(characters * 0.8)) {
      const lines = texts.map(({ text, asked }) =>
        `${head} ${tellResult(text, characters, asked)}`.trimEnd(),
      )
      const line = rewritten(frame, piece, withResultTexts(raw, new Map(lines.entries())))
      if (line.tokens <= most * texts.length || characters < 8) return line
    }
  })
  return { ...line, seqs, part: piece.part, held: piece.held, altered, isCleared: true }
}

/** The entry of the user's message that a round of tools belongs to, or -1. */
function requestBefore({ transcript }: Frame, unit: Unit): number {
  const { turns, units } = transcript
  const user = turns[placeOf(turns, unit.index) - 1]
  return user === undefined ? -1 : units[user]!.from
}

/** Sends notes with the reply that they belong to, as the model wrote them; joined here, so that it is counted once. */
function withNotes(frame: Frame, reply: Piece, notes: readonly number[]): Piece {
  const altered = { rule: 'notes', why: 'its note to self is sent with it' }
  const seqs = [...reply.seqs, ...notes.map(at => frame.origin + at)]
  const texts = notes.map(at => inlineNote(frame.transcript.entries[at]!.message.text, frame.nonce))
  return rewritten(frame, { ...reply, seqs, altered }, withTail(reply.raw, texts.join('\n\n')))
}

/** A message as it stands in a line that quotes it whole. */
function quotedPiece(
  { frame, spans }: Draft,
  piece: Piece,
  { text, quotes, of }: Insertion,
): Piece {
  const { rule } = findSpan(spans, quotes!)!
  const altered = { rule, why: 'the line of its exchange quotes it whole' }
  return rewritten(
    frame,
    { ...piece, altered, of, answered: true },
    { role: 'user', content: text },
  )
}

/** A text that is added, and why. */
interface Added extends Pick<Insertion, 'part' | 'text' | 'why' | 'answered' | 'remembered'> {
  readonly role: 'system' | 'user' | 'assistant'
  readonly of?: Insertion['of']
  /** The entries of the notes in it. */
  readonly notes?: readonly number[]
}

export function addedPiece(frame: Frame, added: Added): Piece {
  const { part, role, text, why, of, notes, answered, remembered } = added
  const raw = { role, content: text }
  const message = textMessage(role, text)
  const tokens = textCost(frame, role, text)
  return { raw, message, tokens, part, seqs: [], of, notes, added: why, answered, remembered }
}
