import { fates } from '@throughline/core/fates'
import type { Thread } from '@throughline/history'
import { endOf, readPlan, stretchesOf, type ThreadCall } from '@throughline/history/calls'
import { breathe } from '@throughline/history/log'
import { z } from 'zod'
import { callsBack } from './calls-back.ts'
import { defineRoute, threadOf } from './route.ts'
import { type AnswerOf, count, limitOf, name, place, threadFields } from './schemas.ts'
import { bestMatch, tellingOf } from './seen.ts'
import { toShadow } from './shadow.ts'

const shadowCall = z.object({
  call: name,
  turn: count,
  at: place.describe('the last entry that it was made of'),
  tokens: count.describe('passed'),
  wouldTokens: count.describe('that would have been sent'),
  used: z
    .object({
      entry: place,
      words: z.array(z.string()),
      fate: z.enum(fates).describe('what would have become of it'),
      isTail: z.boolean().describe('whether the tail has it whole'),
      isOurs: z.boolean().describe('whether it would have been sent whole'),
    })
    .optional()
    .describe('the earlier message that has most of the words of the answer'),
})

export const shadowRoutes = [
  defineRoute('get', '/conversations/:conversation/shadow', {
    scope: 'inspect',
    summary:
      'Tells of each call of a shadow, newest first, which message its answer used, and whether it would have been sent.',
    query: {
      ...threadFields,
      call: name.optional().describe('only this call'),
      limit: limitOf(200, 1000),
    },
    kind: 'lines',
    answer: shadowCall,
    async handle(apiCall) {
      const { call: only, limit } = apiCall.query
      const thread = await threadOf(apiCall)
      const { store } = apiCall.log
      async function* lines(): AsyncGenerator<AnswerOf<typeof shadowCall>> {
        let left = limit
        for await (const call of callsBack(store, thread.key)) {
          if (apiCall.signal.aborted || left === 0) return
          if (only !== undefined && call.id !== only) continue
          const line = await toLine(thread, call)
          if (line) yield line
          left -= 1
          if (only !== undefined) return
          await breathe()
        }
      }
      return lines()
    },
  }),
]

async function toLine(
  thread: Thread,
  call: ThreadCall,
): Promise<AnswerOf<typeof shadowCall> | undefined> {
  const plan = readPlan(call.plan)
  const account = toShadow(plan)
  if (!account) return undefined
  const { tokens, wouldTokens, tail } = account
  const at = endOf(plan)
  const line = { call: call.id, turn: call.turn, at, tokens, wouldTokens }
  const [answer] = await thread.entries({ at: at + 1, limit: 1 })
  if (answer?.reading.role !== 'assistant' || answer.reading.text === '') return line
  const { text } = answer.reading
  const { asking, words, messages } = await thread.mentions({ text, at })
  const receipt = { stretches: stretchesOf(plan) }
  const match = bestMatch(tellingOf(words, messages), { messages, receipt, asking })
  // The question itself is in every list.
  if (!match || match.entry === asking) return line
  const { entry, fate } = match
  const isIn = (runs: readonly { readonly first: number; readonly last: number }[] = []) =>
    runs.some(({ first, last }) => first <= entry && entry <= last)
  const isTail = isIn(tail?.runs)
  const isOurs = isTail ? !isIn(tail?.more) : isIn(tail?.less)
  return { ...line, used: { entry, words: match.words, fate, isTail, isOurs } }
}
