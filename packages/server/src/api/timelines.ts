import { fateInText, fates } from '@throughline/core/fates'
import { z } from 'zod'
import { sourceOf } from '../exchange/inquiry.ts'
import { createSettings, type FitFields, fitFields, policyOf } from './fit-thread.ts'
import { defineRoute, type ThreadRequest, threadOf } from './route.ts'
import { type AnswerOf, count, limitOf, name, place, threadFields, time } from './schemas.ts'
import { createTimeline } from './timeline/create-timeline.ts'
import { point, type TimelinePoint } from './timeline/point.ts'

const end = z.object({ at: place, turn: count, time, call: name.optional() })
const run = z.object({
  fate: z.enum(fates),
  from: end,
  to: end,
  points: count.describe('how many contexts'),
})

const mostPolicies = 8

const settings = { ...threadFields, ...fitFields }

export const timelineRoutes = [
  defineRoute('get', '/conversations/:conversation/timeline', {
    scope: 'inspect',
    summary:
      'Gives a line for each place where a model was asked: what was sent, what could be reused.',
    query: {
      ...settings,
      since: place
        .optional()
        .describe('only lines at this entry or later, to go on where a client stands'),
      limit: limitOf(5000, 20_000),
      entry: place.optional().describe('the fate of this entry is told in each line'),
      fates: z
        .boolean()
        .optional()
        .describe('whether the fates of all entries are given; default true'),
      against: z
        .array(z.string().max(100))
        .max(mostPolicies)
        .optional()
        .describe('policies to compare with; default sliding-50, the last 50 messages'),
    },
    kind: 'lines',
    answer: point,
    async handle(call) {
      const { limit, entry, fates: isWithFates = true, against = ['sliding-50'] } = call.query
      const points = await timelineOf(call, call.query, against)
      async function* lines(): AsyncGenerator<AnswerOf<typeof point>> {
        let left = limit
        for await (const { against, fates, ...point } of points) {
          const became = entry === undefined ? undefined : fateInText(fates, entry)
          yield { ...point, fates: isWithFates ? fates : undefined, entry: became, against }
          left -= 1
          if (left === 0) return
        }
      }
      return lines()
    },
  }),
  defineRoute('get', '/conversations/:conversation/entries/:entry/life', {
    scope: 'inspect',
    summary: 'Tells the fate of one entry from its first context to the last, in runs.',
    query: settings,
    answer: z.object({ entry: place, runs: z.array(run) }),
    async handle(call) {
      const { entry } = call.params
      const runs: AnswerOf<typeof run>[] = []
      for await (const one of await timelineOf(call, { ...call.query, since: entry }, [])) {
        const became = fateInText(one.fates, entry)
        if (became === undefined) continue
        const here = { at: one.at, turn: one.turn, time: one.time, call: one.call }
        const last = runs.at(-1)
        if (last?.fate !== became) runs.push({ fate: became, from: here, to: here, points: 1 })
        else runs[runs.length - 1] = { ...last, to: here, points: last.points + 1 }
      }
      return { entry, runs }
    },
  }),
]

/** With any setting in the query, contexts are made anew with it also where calls are stored. */
export async function timelineOf(
  call: ThreadRequest,
  { since = 0, ...query }: FitFields & { readonly since?: number },
  against: readonly string[],
): Promise<AsyncIterable<TimelinePoint>> {
  const fields = Object.fromEntries(
    Object.entries(query).filter(([field, value]) => field in fitFields && value !== undefined),
  ) as FitFields
  const others = against.map(one => ({ name: one, policy: policyOf({ policy: one })! }))
  const thread = await threadOf(call)
  const { key } = thread
  const made = await (await createSettings(thread, call.parts))(fields)
  const source = sourceOf(call.log, key)
  const options = { ...made, isAnew: Object.keys(fields).length > 0, against: others }
  const { policy, ...plain } = made.settings
  const name = JSON.stringify([plain, made.room, policy?.name, fields, against])
  const { timelines } = call.parts
  const cached = timelines.get(key, name)
  // For a part of the timeline, the points before it are not made.
  if (!cached && since > 0)
    return createTimeline(source, { ...options, since, copyAt: thread.copyAt }).points(
      since,
      call.signal,
    )
  const timeline = cached ?? createTimeline(source, options)
  if (!cached) timelines.keep(key, name, timeline)
  return timeline.points(since, call.signal)
}
