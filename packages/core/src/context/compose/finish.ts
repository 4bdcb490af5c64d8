import { ThroughlineError } from '../../log/error.ts'
import { acknowledgement, openingText } from '../../log/texts.ts'
import { joinMessages, withHead, withTail } from '../../log/write-message.ts'
import { fixedIn, tokensByPart, totalTokens, unitCost } from '../draft/cost.ts'
import { cutJournal, journalRoom, lastRoundBefore } from '../draft/cut-journal.ts'
import { cutOldest } from '../draft/cut-oldest.ts'
import type { Draft } from '../draft/draft.ts'
import type { Frame } from '../draft/frame.ts'
import { type Piece, rewritten } from '../draft/piece.ts'
import type { Insertion } from '../draft/span.ts'
import type { Part } from '../receipt.ts'
import { addedPiece, compose } from './compose.ts'
import { withQuotes } from './quotes.ts'
import { withRules } from './standing-rules.ts'
import { trimPieces } from './trim.ts'

export interface Finished {
  readonly draft: Draft
  readonly pieces: readonly Piece[]
  readonly tokens: number
}

/** Makes any policy's draft fit, and applies the shape. */
export function finish(draft: Draft): Finished {
  const { frame, capacity } = draft
  const windowDraft = draft.as('window')
  let room = capacity
  for (;;) {
    const cutTo = (less: number) =>
      withJournal(cutOldest(windowDraft, room - less), more =>
        cutOldest(windowDraft, room - less - more),
      )
    const fitted = withQuotes(withRules(cutTo(0), room, cutTo), room)
    const composed = compose(fitted)
    const pieces = shaped(frame, composed)
    const tokens = totalTokens(frame, pieces)
    const finished = { draft: fitted, pieces, tokens }
    if (tokens <= capacity) return finished
    // All that may go has gone, so the protected part alone is too large.
    if (fitted.tokens > room) return overflow(finished, composed)
    // Joined texts can cost a token or two more than apart: leave that room and try again.
    room = Math.min(room, fitted.tokens) - (tokens - capacity)
  }
}

/** Adds the journal of the newest turn with tools that was left out, if it has room and no policy did. `refit` fits into less. */
function withJournal(draft: Draft, refit: (less: number) => Draft): Draft {
  const first = missingJournal(draft, journalRoom(draft.frame))
  if (!first) return draft
  const shorter = refit(first.tokens!)
  const journal = missingJournal(shorter, first.tokens!)
  if (!journal || shorter.tokens + journal.tokens! > draft.capacity) return draft
  return shorter.insert([journal], 'digested')
}

/** The journal of the newest round that is not sent, unless a line stands for it. */
function missingJournal(draft: Draft, budget: number): Insertion | undefined {
  const { frame, spans, insertions } = draft
  if (budget <= 0 || insertions.some(({ part }) => part === 'journal')) return undefined
  for (let at = spans.length - 1; at >= 0; at--) {
    const { from, to, fate } = spans[at]!
    let round = lastRoundBefore(frame.transcript, to)
    while (frame.fixed.has(round)) round = lastRoundBefore(frame.transcript, round)
    if (round < 0) return undefined
    if (round < from || fate === 'recalled') continue
    // It stands before what is sent of the rest: nothing may come between an open call and its results.
    const next = fixedIn(frame, { from: round + 1, to })[0] ?? to
    return fate === 'omitted' ? cutJournal(draft, next, budget) : undefined
  }
  return undefined
}

const shaped = (frame: Frame, pieces: readonly Piece[]): readonly Piece[] =>
  frame.shape === 'alternating' ? alternate(frame, pieces) : pieces

/** Texts are cut before messages are joined: what is joined to a message, such as the system prompt, is never cut with it. */
function overflow(finished: Finished, composed: readonly Piece[]): Finished {
  const { frame } = finished.draft
  if (frame.overflow === 'keep') return finished
  const isTrim = frame.overflow !== 'error'
  const cost = (pieces: readonly Piece[]) => totalTokens(frame, shaped(frame, pieces))
  const trimmed = isTrim ? trimPieces(frame, composed, cost) : undefined
  const pieces = trimmed && shaped(frame, trimmed)
  if (pieces) return { ...finished, pieces, tokens: totalTokens(frame, pieces) }
  const { window, reserve, capacity } = frame
  const held = heldByPolicies(frame)
  const advice = `${held}${isTrim ? trimAdvice : keepAdvice}`
  const parts = tokensByPart(frame, finished.pieces)
  throw new ContextOverflowError(
    { window, reserve, capacity, needed: finished.tokens, parts },
    advice,
  )
}

const trimAdvice =
  'Even cut texts do not fit: use a larger window, or fewer tools and images. What is asked, rules and pins are never cut.'
const keepAdvice =
  "Use a larger window, shorten the largest part, or set overflow to 'trim' or 'keep'."

/** Which policies protect what else could go, and how much: `The policy "rules stay" protects 900 tokens. `. */
function heldByPolicies(frame: Frame): string {
  const tokens = new Map<string, number>()
  for (const [unit, { rule }] of frame.held)
    tokens.set(rule, (tokens.get(rule) ?? 0) + unitCost(frame, unit))
  return Array.from(
    tokens,
    ([rule, sum]) => `The policy ${JSON.stringify(rule)} protects ${sum} of them. `,
  ).join('')
}

/** The protected part does not fit. The error carries the figures, so that a program can decide what to shorten. */
export class ContextOverflowError extends ThroughlineError {
  /** The tokens of the whole window, as it was set. */
  declare readonly window: number
  /** The tokens of the window that are kept free for the reply. */
  declare readonly reserve: number
  /** The tokens that may be sent. */
  declare readonly capacity: number
  /** The tokens that must be sent, whatever the policy. */
  declare readonly needed: number
  /** What makes up `needed`: the tokens of each part. */
  declare readonly parts: Readonly<Record<Part, number>>
  /** What to do about it: the last sentences of the message. */
  declare readonly advice: string

  /** The message names the parts, the largest first, and ends with the advice. */
  constructor(figures: OverflowFigures, advice: string) {
    const { window, reserve, capacity, needed, parts } = figures
    const largest = Object.entries(parts)
      .filter(([, tokens]) => tokens > 0)
      .sort(([, a], [, b]) => b - a)
      .map(([part, tokens]) => `${part} ${tokens}`)
      .join(', ')
    super(
      'context_overflow',
      `What must be sent needs ${needed} tokens, but ${capacity} are free (window ${window}, reserve ${reserve}): ${largest}. ${advice}`,
    )
    Object.assign(this, { window, reserve, capacity, needed, parts, advice })
  }
}

export type OverflowFigures = Pick<
  ContextOverflowError,
  'window' | 'reserve' | 'capacity' | 'needed' | 'parts'
>

/**
 * For templates such as Gemma's and Mistral's: at most one system message, at the front; then user and assistant
 * take turns, beginning with the user. Rounds of tool calls belong to the assistant's turn. Everything else (marker,
 * notes, recall, later system messages) becomes text at the head of the next user message.
 */
export function alternate(frame: Frame, pieces: readonly Piece[]): readonly Piece[] {
  /** The messages to send; the pieces of one list become one message. */
  const sent: Piece[][] = []
  const system: Piece[] = []
  /** Texts that wait for the next user message. */
  let waiting: Piece[] = []

  const lastRole = () => sent.at(-1)?.[0]?.message.role
  const answer = (why: string) => fill('assistant', acknowledgement, why)
  const fill = (role: 'user' | 'assistant', text: string, why: string) =>
    sent.push([addedPiece(frame, { part: 'framing', role, text, why })])
  /** Appends the waiting texts to a message that is already in `sent`. */
  const carryAt = (at: number) => {
    sent[at] = [carry(frame, join(frame, sent[at]!), waiting, withTail)]
    waiting = []
  }
  const waitingAsUser = () => [carry(frame, asUser(frame, waiting[0]!), waiting.slice(1), withTail)]

  function addUser(piece: Piece): void {
    const full = carry(frame, piece, waiting, withHead)
    waiting = []
    if (lastRole() === 'tool') answer('the round before got no answer')
    const before = lastRole() === 'user' ? sent.at(-1)! : undefined
    if (before && !piece.answered && !before[0]!.answered) before.push(full)
    else {
      if (before) answer('two user messages in a row')
      sent.push([full])
    }
    if (piece.answered) answer('a digest is answered')
  }

  function addAssistant(piece: Piece): void {
    if (sent.length === 0) {
      // The first turn must be the user's: the waiting texts serve, else a line that says who began.
      if (waiting.length === 0) fill('user', openingText, 'the template wants a user message first')
      else sent.push(waitingAsUser())
      waiting = []
    } else if (lastRole() === 'user') carryAt(sent.length - 1)
    const before = sent.at(-1)!
    if (lastRole() === 'assistant' && before.at(-1)!.message.calls.length === 0) before.push(piece)
    else sent.push([piece])
  }

  for (const piece of pieces) {
    if (piece.message.role === 'system') {
      const leading =
        sent.length === 0 && waiting.length === 0 && piece.part === 'system' && frame.systemRole
      if (leading) system.push(piece)
      else waiting.push(piece)
    } else if (joins.includes(piece.part) && !piece.answered) waiting.push(piece)
    else if (piece.message.role === 'user') addUser(piece)
    else if (piece.message.role === 'assistant') addAssistant(piece)
    else sent.push([piece])
  }
  if (waiting.length > 0) {
    const at = sent.findLastIndex(([first]) => first!.message.role === 'user')
    if (at >= 0) carryAt(at)
    else sent.unshift(waitingAsUser())
  }
  return [...(system.length > 0 ? [system] : []), ...sent].map(list => join(frame, list))
}

/** Parts in the role of a user that join the next user message, unless they are answered. */
const joins: readonly Part[] = ['rules', 'recall', 'journal', 'digests', 'changing']

/** Joins pieces into one message; the receipt counts the joined pieces as parts of it. */
function carry(
  frame: Frame,
  piece: Piece,
  others: readonly Piece[],
  attach: typeof withHead,
): Piece {
  if (others.length === 0) return piece
  const text = others.map(other => other.message.text).join('\n\n')
  return rewritten(frame, combined(piece, others), attach(piece.raw, text))
}

/** Joins pieces into one message, read and counted once. */
function join(frame: Frame, [first, ...others]: readonly Piece[]): Piece {
  if (others.length === 0) return first!
  const raws = [first!, ...others].map(piece => piece.raw)
  return rewritten(frame, combined(first!, others), joinMessages(raws))
}

function combined(piece: Piece, others: readonly Piece[]): Piece {
  const seqs = [piece, ...others].flatMap(one => one.seqs).sort((a, b) => a - b)
  const carries = [
    ...(piece.carries ?? []),
    ...others.flatMap(other => [other, ...(other.carries ?? [])]),
  ]
  const trimmed = [piece, ...others].find(({ altered }) => altered?.rule === 'trim')?.altered
  const altered = trimmed ?? {
    rule: 'alternating',
    why: 'joined: the template wants roles to take turns',
  }
  return { ...piece, seqs, carries, altered }
}

function asUser(frame: Frame, piece: Piece): Piece {
  return rewritten(frame, combined(piece, []), { role: 'user', content: piece.message.text })
}
