import { setTimeout as sleep } from 'node:timers/promises'
import { parseMessage } from 'throughline'
import type { Model } from 'throughline/models'
import { lampAnswer } from './lamp-answer.ts'

interface LampRulesOptions {
  readonly window?: number
  /** The pause between two pieces of an answer, so that one sees it being written. */
  readonly pieceMs?: number
}

/** A model without a model: the rules of this folder, which answer piece by piece as a language model does. */
export function lampRules({ window = 4096, pieceMs = 0 }: LampRulesOptions = {}): Model {
  return {
    name: 'lamp-rules',
    window: async () => window,
    async *stream({ messages: given, signal }) {
      const messages = given.map(parseMessage)
      const asked = messages.findLast(({ role }) => role === 'user')?.text ?? ''
      for (const text of piecesOf(lampAnswer({ asked, messages }))) {
        if (pieceMs > 0) await sleep(pieceMs)
        signal?.throwIfAborted()
        yield { type: 'text-delta', text }
      }
      // Rules count no tokens: nothing is reported.
      yield { type: 'end', reason: 'stop', usage: {} }
    },
  }
}

/** Pieces of about the size that models write at a time. */
function piecesOf(text: string): readonly string[] {
  return text.match(/[\s\S]{1,12}/gu) ?? []
}
