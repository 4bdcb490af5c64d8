import { createHistory, type History } from '@throughline/history'
import { rules } from '@throughline/models/reader'
import type { Store } from '@throughline/stores/store'
import { someStores } from '@throughline/test-tools/every-store'
import { describe, expect, it } from 'vitest'
import { answerOnce } from '../../src/turn/answer-turn.ts'
import { threadLog } from '../../src/turn/log/thread-log.ts'
import type { TurnPart, TurnResult } from '../../src/turn/reply.ts'
import { runTurn } from '../../src/turn/run-turn.ts'
import { setUpAsking } from '../../src/turn/set-up-asking.ts'
import { keepResult } from '../../src/turn/tools/run-tools.ts'

const specs = [{ name: 'weather', parameters: { type: 'object' } }]
const bothCalls = [
  { name: 'weather', arguments: { city: 'Rome' } },
  { name: 'weather', arguments: { city: 'Oslo' } },
]

/** A model that asks for the weather twice in one round, and answers once it has both results. */
const model = rules(({ messages }) => {
  const results = messages.filter(({ role }) => role === 'tool')
  return results.length === 0
    ? { text: 'I look. [NOTE TO SELF: two cities]', calls: bothCalls }
    : results.map(({ content }) => content).join(' ')
})

interface RequestOptions {
  readonly results?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** One request to a proxy: the client's message or its results are kept, then the model is called once. */
async function request(history: History, { results, signal }: RequestOptions = {}) {
  const thread = history.thread('trip')
  const resumed = results ? await thread.resume() : undefined
  const begun = resumed ? undefined : await thread.begin({ role: 'user', content: 'Weather?' })
  if (begun?.kind === 'replayed') throw new Error('no key was given')
  const turn = resumed?.turn ?? begun!.turn
  const log = threadLog({
    history,
    thread,
    turn,
    ...(resumed && { turnMessages: resumed.entries }),
  })
  const parts: TurnPart[] = []
  let settled: TurnResult | undefined
  const emit = (part: TurnPart) => void parts.push(part)
  const own = signal ?? new AbortController().signal
  await runTurn({
    log,
    emit,
    signal: own,
    added: [],
    settle: result => {
      settled = result
    },
    async answer(tally) {
      for (const call of log.progress.waiting) {
        const city = JSON.parse(call.arguments).city as string
        const text = results?.[city]
        if (text !== undefined) await keepResult(log, call, { text, isError: false })
      }
      const place = { log, emit, signal: own, specs, replies: 'streamed', tally } as const
      const asking = await setUpAsking({ model, notes: true }, place)
      return (await answerOnce(asking)) ? 'completed' : 'open'
    },
  })
  return { thread, parts, result: settled! }
}

describe.each(await someStores())(
  'one call of a turn that goes on in a later request, on %s',
  (_, create) => {
    const open = (store: Store) => createHistory({ store })

    it('leaves the turn open with its calls, and ends it when the client has run them', async () => {
      const store = create()
      const first = await request(open(store))
      expect(first.result).toMatchObject({ status: 'open', rounds: 1, text: 'I look.' })
      expect(first.parts.at(-1)).toMatchObject({ type: 'end', status: 'open' })
      expect((await first.thread.status()).state).toBe('interrupted')
      // Another process: it knows nothing but the log.
      const second = await request(open(store), { results: { Rome: 'sun', Oslo: 'snow' } })
      expect(second.result).toMatchObject({ status: 'completed', rounds: 1, text: 'sun snow' })
      expect((await second.thread.status()).state).toBe('idle')
      expect((await second.thread.turns()).map(({ status }) => status)).toEqual(['completed'])
      expect((await second.thread.messages()).map(({ role }) => role)).toEqual([
        'user',
        'assistant',
        'tool',
        'tool',
        'assistant',
        'assistant_note',
      ])
      expect(await second.thread.notes()).toEqual(['two cities'])
    })

    it('is closed by the next message where the client never came back', async () => {
      const store = create()
      await request(open(store))
      const thread = open(store).thread('trip')
      const begun = await thread.begin({ role: 'user', content: 'Never mind.' })
      expect(begun.kind).toBe('begun')
      expect((await thread.turns()).map(({ status }) => status)).toEqual(['interrupted', 'open'])
      const { messages } = await thread.context({ window: 4096 })
      expect(messages.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual([
        'Error: interrupted',
        'Error: interrupted',
      ])
    })

    it('is cancelled like any other', async () => {
      const store = create()
      await request(open(store))
      const cancel = new AbortController()
      cancel.abort()
      const { result, thread } = await request(open(store), {
        results: { Rome: 'sun' },
        signal: cancel.signal,
      })
      expect(result.status).toBe('cancelled')
      expect((await thread.turns()).map(({ status }) => status)).toEqual(['cancelled'])
    })
  },
)
