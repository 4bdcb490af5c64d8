import { toModelTokens } from '@throughline/core/tokens'
import {
  type EntryRun,
  isRun,
  lackingIn,
  type Plan,
  roomOf,
  stretchesOf,
  wholeRuns,
} from '@throughline/history/calls'
import { z } from 'zod'
import { count, place } from './schemas.ts'

const run = z.object({ first: place, last: place })

/** What a call of a server in shadow mode sent. All else of the call is what would have been sent. */
export const shadow = z
  .object({
    messages: count.describe('how many messages its client sent, all of which were passed'),
    tokens: count.describe('their tokens, with system prompt and tools'),
    wouldMessages: count.describe('how many messages would have been sent'),
    wouldTokens: count,
    tail: z
      .object({
        tokens: count,
        runs: z.array(run).describe('the entries that it has whole'),
        more: z.array(run).describe('those of them that would not have been sent whole'),
        less: z.array(run).describe('entries that would have been sent whole, and that it has not'),
      })
      .optional()
      .describe('the newest messages that fit the same room'),
  })
  .optional()
  .describe('what was passed as it came; absent where the context was sent')

export function toShadow(plan: Plan): z.output<typeof shadow> {
  const { shadow: account, tokens: wouldBe } = plan
  if (!account) return undefined
  const { factor } = roomOf(plan)
  const { messages, tokens, tail } = account
  const ours = wholeRuns(stretchesOf(plan))
  return {
    messages,
    tokens: toModelTokens(tokens, factor),
    wouldMessages: messagesIn(plan),
    wouldTokens: toModelTokens(wouldBe, factor),
    tail: tail && {
      tokens: toModelTokens(tail.tokens, factor),
      runs: tail.runs.map(toRun),
      more: lackingIn(tail.runs, ours).map(toRun),
      less: lackingIn(ours, tail.runs).map(toRun),
    },
  }
}

const toRun = ([first, last]: EntryRun) => ({ first, last })

/** Messages in a row stand in a plan as one item. */
const messagesIn = ({ messages }: Plan) =>
  messages.reduce((sum, item) => sum + (isRun(item) ? item[1] - item[0] + 1 : 1), 0)
