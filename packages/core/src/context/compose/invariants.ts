import { ThroughlineError } from '../../log/error.ts'
import { openRound } from '../../log/round.ts'
import { firstSeq } from '../conversation/conversation.ts'
import type { Finished } from './finish.ts'

/** A policy, or this library, made a context that must not be sent. */
export class BrokenContextError extends ThroughlineError {
  /** What every context keeps and this one does not, in words. */
  declare readonly invariant: string

  /** `policy` is the name of the policy that made the context. */
  constructor(policy: string, invariant: string) {
    super(
      'broken_context',
      `Policy "${policy}" broke an invariant: ${invariant}. Nothing was sent; report or mend the policy.`,
    )
    this.invariant = invariant
  }
}

/** Checks what must hold for every context of every policy. Runs on every `fit`; this is the only place with these rules. */
export function checkInvariants(finished: Finished, policy: string): void {
  const { draft, pieces, tokens } = finished
  const { frame } = draft
  const { system, transcript, origin, fixed, capacity } = frame
  const broken = (invariant: string) => new BrokenContextError(policy, invariant)

  if (!(tokens <= capacity) && frame.overflow !== 'keep')
    throw broken(`${tokens} tokens for a capacity of ${capacity}`)
  const sent = new Set(pieces.flatMap(piece => piece.seqs))
  const start = firstSeq(frame)
  const prompt = system.flatMap(({ left }, place) => (left ? [] : [start + place]))
  const first = [...fixed].map(index => origin + transcript.units[index]!.from)
  for (const seq of [...prompt, ...first]) {
    if (!sent.has(seq)) throw broken(`the protected message ${seq} is missing`)
  }
  let last = start - 1
  for (const { message, seqs, carries } of pieces) {
    // Results stand in the order of their calls.
    const isResult = message.role === 'tool'
    const moves =
      (draft.systemsFirst && message.role === 'system') || carries !== undefined || isResult
    const seq = seqs[0]
    if (seq === undefined || moves) continue
    if (seq <= last) throw broken(`message ${seq} stands after message ${last}`)
    last = seq
  }
  // Every result answers an open call of the round before it; every call is answered before anything else follows.
  let round = openRound([])
  for (const [place, { message }] of pieces.entries()) {
    if (message.role === 'tool') {
      if (message.results.some(result => round.take(result) < 0))
        throw broken(`the tool result at place ${place} has no call`)
      continue
    }
    const [open] = round.unanswered()
    if (open) throw broken(`the call of "${open.name}" before place ${place} has no result`)
    round = openRound(message.calls, message.results)
  }
}
