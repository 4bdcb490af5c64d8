import type { MessageLike } from '../../log/message.ts'
import { joinMessages, withHead, withTail } from '../../log/write-message.ts'
import type { Frame } from '../draft/frame.ts'
import type { Piece } from '../draft/piece.ts'
import { acknowledgement, openingText } from '../texts.ts'
import { addedPiece, rewritten } from './make-piece.ts'

const rule = 'alternating'

/**
 * For templates such as Gemma's and Mistral's: at most one system message, at the front; then user and assistant
 * take turns, beginning with the user. Rounds of tool calls belong to the assistant's turn. What stands between
 * (marker, notes, recall, later system messages) becomes text at the head of the next user message.
 */
export function alternate<M extends MessageLike>(
  frame: Frame<M>,
  pieces: readonly Piece<M>[],
): readonly Piece<M>[] {
  const sent: Piece<M>[] = []
  const system: Piece<M>[] = []
  /** Texts that wait for the next user message. */
  let waiting: Piece<M>[] = []

  const last = () => sent.at(-1)
  const lastUser = () => sent.findLastIndex(piece => piece.message.role === 'user')
  const fill = (role: 'user' | 'assistant', text: string, why: string) =>
    sent.push(addedPiece(frame, 'framing', role, text, why))

  function addUser(piece: Piece<M>): void {
    const before = last()
    const full = waiting.length > 0 ? carry(frame, piece, waiting, withHead) : piece
    waiting = []
    if (before?.message.role === 'tool') fill('assistant', acknowledgement, 'the round before got no answer')
    if (before?.message.role !== 'user') sent.push(full)
    else if (piece.answered || before.answered) {
      fill('assistant', acknowledgement, 'two user messages in a row')
      sent.push(full)
    } else sent[sent.length - 1] = join(frame, before, full)
    if (piece.answered) fill('assistant', acknowledgement, 'a digest is answered')
  }

  function addAssistant(piece: Piece<M>): void {
    const before = last()
    if (before === undefined) {
      // The first turn must be the user's: what waits for one serves, else a line that says who began.
      if (waiting.length === 0) fill('user', openingText, 'the template wants a user message first')
      else sent.push(carry(frame, asUser(frame, waiting[0]!), waiting.slice(1), withTail))
      waiting = []
    } else if (before.message.role === 'user' && waiting.length > 0) {
      sent[sent.length - 1] = carry(frame, before, waiting, withTail)
      waiting = []
    }
    const previous = last()!
    const joins = previous.message.role === 'assistant' && previous.message.calls.length === 0
    if (joins) sent[sent.length - 1] = join(frame, previous, piece)
    else sent.push(piece)
  }

  for (const piece of pieces) {
    if (piece.message.role === 'system') {
      const leading = sent.length === 0 && waiting.length === 0 && piece.part === 'system' && frame.systemRole
      if (leading) system.push(piece)
      else waiting.push(piece)
    } else if (
      piece.part === 'recall' ||
      piece.part === 'journal' ||
      (piece.part === 'digests' && !piece.answered)
    )
      waiting.push(piece)
    else if (piece.message.role === 'user') addUser(piece)
    else if (piece.message.role === 'assistant') addAssistant(piece)
    else sent.push(piece)
  }
  if (waiting.length > 0) {
    const at = lastUser()
    if (at >= 0) sent[at] = carry(frame, sent[at]!, waiting, withTail)
    else sent.unshift(carry(frame, asUser(frame, waiting[0]!), waiting.slice(1), withTail))
  }
  const [first, ...more] = system
  return first ? [more.reduce((joined, piece) => join(frame, joined, piece), first), ...sent] : sent
}

/** A message that also says what others said; those are accounted for as part of it. */
function carry<M extends MessageLike>(
  frame: Frame<M>,
  piece: Piece<M>,
  others: readonly Piece<M>[],
  attach: typeof withHead,
): Piece<M> {
  if (others.length === 0) return piece
  const text = others.map(other => other.message.text).join('\n\n')
  return rewritten(frame, combined(piece, others), attach(piece.raw, text))
}

function join<M extends MessageLike>(frame: Frame<M>, first: Piece<M>, second: Piece<M>): Piece<M> {
  return rewritten(frame, combined(first, [second]), joinMessages(first.raw, second.raw))
}

function combined<M extends MessageLike>(piece: Piece<M>, others: readonly Piece<M>[]): Piece<M> {
  const seqs = [piece, ...others].flatMap(one => one.seqs).sort((a, b) => a - b)
  const carries = [...(piece.carries ?? []), ...others.flatMap(other => [other, ...(other.carries ?? [])])]
  return {
    ...piece,
    seqs,
    carries,
    altered: { rule, why: 'joined, since the template wants roles to take turns' },
  }
}

function asUser<M extends MessageLike>(frame: Frame<M>, piece: Piece<M>): Piece<M> {
  return rewritten(frame, combined(piece, []), { role: 'user', content: piece.message.text })
}
