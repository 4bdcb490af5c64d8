import { z } from 'zod'
import { makeCard } from './make-card.ts'
import { defineRoute, threadOf } from './route.ts'
import { count, place } from './schemas.ts'
import { timelineOf } from './timelines.ts'
import { contextOrCall, settingsOf } from './why.ts'

const turns = z.object({ from: count, to: count })

const card = z.object({
  kind: z
    .enum(['cut', 'shortened', 'unmatched', 'deleted'])
    .describe('`unmatched`: the policy brings old messages back, and not this one'),
  told: z
    .object({
      seq: place,
      role: z.string(),
      turn: count,
      text: z.string(),
      marks: z.array(z.tuple([count, count])).describe('where words of the question stand'),
    })
    .describe('the message that was needed; without a text where its client deleted it'),
  asked: z.object({
    turn: count,
    question: z.string(),
    answer: z.string().optional(),
    model: z.string().optional(),
  }),
  sent: turns.optional().describe('the turns in which it was sent before it left'),
  left: count.optional().describe('the turn in which it left'),
  shared: z.array(z.string()).describe('the words that the question shares with it'),
  cures: z
    .object({
      window: count.optional(),
      windowPolicy: z.string().optional(),
      policy: z.string().optional(),
      pin: count.optional().describe('the tokens that a pin takes'),
    })
    .describe('what was tried and would have sent it'),
  context: z.object({
    all: count,
    sent: count,
    tokens: count,
    window: count.optional(),
    free: count,
    policy: z.string(),
    fates: z.string(),
    cut: place.optional(),
  }),
})

export const cardRoutes = [
  defineRoute('get', '/conversations/:conversation/card', {
    scope: 'inspect',
    summary:
      'Tells why an answer forgot what one message had told, for a picture: only where one message clearly has what was asked, unless `entry` or `text` names it.',
    query: {
      ...contextOrCall,
      entry: place.optional().describe('the message that was needed'),
      text: z.string().max(10_000).optional().describe('what was needed, in words'),
    },
    answer: z.object({ card: card.optional() }),
    async handle(call) {
      const thread = await threadOf(call)
      const settings = await settingsOf(call, thread)
      const { call: id, entry, text } = call.query
      const points = (since: number) => timelineOf(call, { ...call.query, since }, [])
      return {
        card: await makeCard({ ...settings, thread, points, call: id, entry, text }),
      }
    },
  }),
]
