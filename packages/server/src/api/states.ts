import { InvalidOptionError, showValue } from '@throughline/core/errors'
import type { MessageLike } from '@throughline/core/messages'
import {
  defineState,
  type RoundResult,
  roundsFromEnd,
  type State,
  type StateReading,
} from '@throughline/core/state'
import { attempt, cut } from '@throughline/core/values'
import { type LogSource, readLog } from '@throughline/history/log'
import { z } from 'zod'
import { stateForm } from '../config/config-schema.ts'
import { sourceOf } from '../exchange/inquiry.ts'
import { atField } from './fit-thread.ts'
import { defineRoute, threadOf } from './route.ts'
import { type AnswerOf, count, place, threadFields } from './schemas.ts'

const reading = z.object({
  name: z.string(),
  tools: z.array(z.string()).describe('the tools whose results carry it'),
  isConfigured: z
    .boolean()
    .describe('false for the newest result of a tool, where no states are set'),
  value: z.unknown().optional().describe('absent without a result, and for one that is very large'),
  preview: z.string().optional().describe('the beginning of a very large value'),
  entry: z.object({ seq: place, tool: z.string(), callId: z.string().optional() }).optional(),
  skipped: z
    .array(z.object({ seq: place, tool: z.string(), reason: z.string(), detail: z.string() }))
    .describe('newer results that could not be used, newest first'),
})

type ShownReading = AnswerOf<typeof reading>

/** How many entries are read where no states are set, how many tools are told, and how many skipped results of each. */
const mostEntries = 5000
const mostTools = 100
const mostSkipped = 50

/** Values with longer JSON are told by their beginning. */
const mostCharacters = 64 * 1024

export const stateRoutes = [
  defineRoute('get', '/conversations/:conversation/state', {
    scope: 'inspect',
    summary:
      'Shows each state with the entry it was read from; without states, the newest tool results.',
    query: { ...threadFields, at: atField },
    answer: z.object({
      states: z.array(reading),
      from: place.describe('the first entry that was looked at'),
      entries: count.describe('how many entries the thread has there'),
    }),
    async handle(call) {
      const { at } = call.query
      const thread = await threadOf(call)
      const head = (await call.log.store.head(thread.key))?.head ?? 0
      const entries = Math.min(at ?? head, head)
      const { states } = call.parts
      if (states.length === 0) {
        return { ...(await newestResults(sourceOf(call.log, thread.key), entries)), entries }
      }
      const readings: ShownReading[] = []
      for (const state of states)
        readings.push(toReading(state, await thread.state(state, { at: entries })))
      return { states: readings, from: Math.min(1, entries), entries }
    },
  }),
]

function toReading(
  { name, tools }: State<unknown>,
  { value, entry, skipped }: StateReading<unknown>,
): ShownReading {
  return {
    name,
    tools,
    isConfigured: true,
    ...toValue(value),
    entry: entry && { ...entry, seq: entry.seq + 1 },
    skipped: skipped.slice(0, mostSkipped).map(one => ({ ...one, seq: one.seq + 1 })),
  }
}

function toValue(value: unknown) {
  if (value === undefined) return {}
  const json = JSON.stringify(value) ?? ''
  return json.length > mostCharacters ? { preview: cut(json, 2000) } : { value }
}

/** The newest good result of each tool, with the failed ones after it. A result that is no JSON is a text. */
async function newestResults(source: LogSource, to: number) {
  const messages: MessageLike[] = []
  let from = to + 1
  for await (const { message, seq } of readLog(source, { to, reverse: true, limit: mostEntries })) {
    messages.push(message)
    from = seq
  }
  const tools = new Map<
    string,
    { skipped: ShownReading['skipped'][number][]; result?: RoundResult }
  >()
  for (const { results } of roundsFromEnd(messages.reverse())) {
    for (const result of results.toReversed()) {
      const earlier = tools.get(result.tool)
      if (earlier?.result || (!earlier && tools.size >= mostTools) || result.isStray) continue
      const tool = earlier ?? { skipped: [] }
      tools.set(result.tool, tool)
      if (!result.isError) tool.result = result
      else if (tool.skipped.length < mostSkipped)
        tool.skipped.push({
          seq: from + result.seq,
          tool: result.tool,
          reason: 'error result',
          detail: cut(result.text, 200),
        })
    }
  }
  return {
    from: Math.min(from, to),
    states: [...tools].map(
      ([tool, { skipped, result }]): ShownReading => ({
        name: tool,
        tools: [tool],
        isConfigured: false,
        skipped,
        ...toValue(result && attempt<unknown>(() => JSON.parse(result.text), result.text)),
        entry: result && { seq: from + result.seq, tool, callId: result.callId },
      }),
    ),
  }
}

/** Makes a state of a setting. The path is a JSON pointer: `~1` stands for `/`, `~0` for `~`. */
export function parseState(text: string): State<unknown> {
  const [, name, tool, pointer] = stateForm.exec(text) ?? []
  if (name === undefined || tool === undefined)
    throw new InvalidOptionError(
      'states',
      `expected name=tool or name=tool#/path, got ${showValue(text)}`,
    )
  const path = pointer?.split('/').slice(1).map(unescaped) ?? []
  const pick = (result: unknown) => at(result, path)
  return defineState({ name, tool, schema: z.unknown(), pick: path.length > 0 ? pick : undefined })
}

const unescaped = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~')

function at(result: unknown, path: readonly string[]): unknown {
  let value = result
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return value
}
