import { BadRequestError } from '@throughline/core/errors'
import { dump, type Receipt } from '@throughline/core/explain'
import type { Fate } from '@throughline/core/fates'
import { breathe } from '@throughline/history/log'
import { z } from 'zod'
import {
  contextAnswer,
  contextSummary,
  stretch,
  toContextAnswer,
  toSummary,
} from './context-answer.ts'
import { atField, createFitting, fitFields, policyOf } from './fit-thread.ts'
import { defineRoute, threadOf } from './route.ts'
import { type AnswerOf, place, threadFields } from './schemas.ts'
import { textsField } from './sent-rows.ts'

const fitting = z.strictObject(fitFields)

const contextQuery = { ...threadFields, ...fitFields, at: atField }
const { window: _, policy: __, ...gridQuery } = contextQuery

/** The most cells of a grid that are fitted for one request. */
const mostCells = 100

const cell = contextSummary.extend({
  policyName: z.string().describe('the policy as it was asked for'),
  entry: z.string().optional().describe('the fate of the entry that was asked for'),
  stretches: z.array(stretch).optional(),
})

/** What a model would see: at any place, with any window and policy. No model is asked. */
export const contextRoutes = [
  defineRoute('get', '/conversations/:conversation/context', {
    scope: 'inspect',
    summary:
      'Shows the context at a place, with its receipt. What is not said is as in the last call.',
    query: {
      ...contextQuery,
      messages: z.boolean().optional().describe('whether the messages are given; default true'),
      texts: textsField,
      since: place
        .optional()
        .describe('an earlier place: `prefix` then says what both contexts share'),
    },
    answer: contextAnswer,
    async handle(call) {
      const { at, messages = true, texts = true, since } = call.query
      const thread = await threadOf(call)
      const fit = await createFitting(thread, call.parts)
      const previous =
        since === undefined ? undefined : (await fit(call.query, { at: since })).context
      const { context, room } = await fit(call.query, { at, previous })
      const head = (await call.log.store.head(thread.key))?.head ?? 0
      const shown = { at: Math.min(at ?? head, head), isWithMessages: messages, isWithTexts: texts }
      return toContextAnswer(context, { ...call, ...shown, thread, room })
    },
  }),
  defineRoute('get', '/conversations/:conversation/dump', {
    scope: 'inspect',
    summary:
      'Prints the context at a place as plain text: everything that the model gets, and nothing else.',
    query: contextQuery,
    kind: 'text',
    async handle(call) {
      const fit = await createFitting(await threadOf(call), call.parts)
      return dump((await fit(call.query, call.query)).context)
    },
  }),
  defineRoute('post', '/conversations/:conversation/compare', {
    scope: 'inspect',
    summary:
      'Compares two contexts of one place: what either keeps, and how much of the beginning is equal.',
    query: threadFields,
    body: { at: atField, a: fitting, b: fitting },
    answer: z.object({
      a: contextSummary,
      b: contextSummary.describe('`prefix`: what of b is the same as the beginning of a'),
      differing: z
        .array(
          z.object({ first: z.int(), last: z.int(), a: stretch.shape.fate, b: stretch.shape.fate }),
        )
        .describe('entries in a row with the same two fates, which differ'),
    }),
    async handle(call) {
      const { at, a, b } = call.body
      const fit = await createFitting(await threadOf(call), call.parts)
      const one = await fit(a, { at })
      const other = await fit(b, { at, previous: one.context })
      return {
        a: toSummary(one.context, one.room),
        b: toSummary(other.context, other.room),
        differing: differing(fatesOf(one.context.receipt), fatesOf(other.context.receipt)),
      }
    },
  }),
  defineRoute('get', '/conversations/:conversation/grid', {
    scope: 'inspect',
    summary:
      'Fits one place into several windows with several policies: a line for each, when it is ready.',
    query: {
      ...gridQuery,
      windows: z.array(z.int().min(1).max(100_000_000)).min(1).max(mostCells),
      policies: z.array(z.string().max(100)).min(1).max(mostCells),
      entry: place.optional().describe('the fate of this entry is told for each'),
      stretches: z.boolean().optional().describe('whether the fates of all entries are given'),
    },
    kind: 'lines',
    answer: cell,
    async handle(call) {
      const { windows, policies, entry, at, effort, stretches = false } = call.query
      if (windows.length * policies.length > mostCells)
        throw new BadRequestError(
          `policies: at most ${mostCells} pairs of window and policy.`,
          'policies',
        )
      // A policy that does not exist is refused now: in the middle of the lines it could not be told.
      for (const policy of policies) policyOf({ policy, effort })
      const fit = await createFitting(await threadOf(call), call.parts)
      async function* cells(): AsyncGenerator<AnswerOf<typeof cell>> {
        for (const policy of policies)
          for (const window of windows) {
            // Each line leaves before the next is made, and a client that has left is seen.
            await breathe()
            if (call.signal.aborted) return
            const { context, room } = await fit({ ...call.query, window, policy }, { at })
            const { stretches: accounts } = context.receipt
            const fate = accounts.find(({ first, last }) => first <= entry! && entry! <= last)?.fate
            yield {
              ...toSummary(context, room),
              policyName: policy,
              entry: fate,
              stretches: stretches ? accounts : undefined,
            }
          }
      }
      return cells()
    },
  }),
]

const fatesOf = ({ entries }: Receipt) => new Map(entries.map(({ seq, fate }) => [seq, fate]))

function differing(one: ReadonlyMap<number, Fate>, other: ReadonlyMap<number, Fate>) {
  const runs: { first: number; last: number; a: Fate; b: Fate }[] = []
  for (const [seq, a] of one) {
    const b = other.get(seq)
    if (b === undefined || a === b) continue
    const last = runs.at(-1)
    if (last?.last === seq - 1 && last.a === a && last.b === b) last.last = seq
    else runs.push({ first: seq, last: seq, a, b })
  }
  return runs
}
