import { anthropicAnswer, upstreamWith } from '@throughline/models/fixtures'
import { anthropicCache } from '@throughline/test-tools/anthropic-cache'
import { isLong } from '@throughline/test-tools/is-long'
import { startServer } from '@throughline/test-tools/start-server'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { anthropicUpstream } from '../../src/upstream/model-servers.ts'

const marked = { cache_control: { type: 'ephemeral' } }
const words = (tokens: number, at: number) =>
  `${at} `.padEnd(tokens * 4, `leaf${at} bark moss root `)

/** Tools and a system prompt of 20,000 tokens, as Claude Code sends and marks them. */
const head = {
  model: 'claude-test',
  max_tokens: 4000,
  stream: true,
  tools: Array.from({ length: 12 }, (_, at) => ({
    name: `tool_${at}`,
    description: words(1000, at),
    input_schema: { type: 'object' },
  })),
  system: [
    { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1;' },
    { type: 'text', text: 'You are Claude Code.', ...marked },
    { type: 'text', text: words(8000, 0), ...marked },
  ],
}

/** How long the results of a round are together, and of how many calls. */
interface Rounds {
  readonly tokens: number
  readonly calls: number
}

const idsAt = (round: number, { calls }: Rounds) =>
  Array.from({ length: calls }, (_, at) => `toolu_${round}_${at}`)

const replyAt = (round: number, rounds: Rounds) => [
  { type: 'text', text: `I look at part ${round}.` },
  ...idsAt(round, rounds).map(id => ({ type: 'tool_use', id, name: 'tool_1', input: { id } })),
]

/** The request of a round: one task, and the results so far. The newest message is marked. */
function requestAt(round: number, rounds: Rounds) {
  const task = { role: 'user', content: [{ type: 'text', text: 'Mend the fence of the garden.' }] }
  const past = Array.from({ length: round }, (_, at) => [
    { role: 'assistant', content: replyAt(at, rounds) },
    {
      role: 'user',
      content: idsAt(at, rounds).map(id => ({
        ...{ type: 'tool_result', tool_use_id: id },
        content: words(rounds.tokens / rounds.calls, at),
      })),
    },
  ])
  const messages: { role: string; content: object[] }[] = [task, ...past.flat()]
  const { role, content } = messages.at(-1)!
  const newest = { role, content: content.with(-1, { ...content.at(-1)!, ...marked }) }
  return { ...head, messages: messages.with(-1, newest) }
}

interface Played extends Partial<Rounds> {
  readonly count: number
  readonly cacheMarks?: boolean
}

/** What the rounds of a session cost at Anthropic, sent directly and through the server with a window of 64,000. */
async function play({ count, tokens = 3000, calls = 1, cacheMarks = true }: Played) {
  const rounds = { tokens, calls }
  let answered = 0
  const scripted = await upstreamWith(({ path }) =>
    path.startsWith('/v1/messages')
      ? anthropicAnswer(replyAt(answered++, rounds), { stop: 'tool_use' })
      : { status: 404, body: {} },
  )
  const { url } = await startServer({
    upstream: anthropicUpstream({ url: scripted.url, window: 64_000, cacheMarks }),
  })
  const [direct, through, unmarked] = [anthropicCache(), anthropicCache(), anthropicCache()]
  const costs = []
  for (let round = 0; round < count; round++) {
    const body = JSON.stringify(requestAt(round, rounds))
    await (await fetch(`${url}/v1/messages`, { method: 'POST', body })).text()
    const sent = scripted.requests.at(-1)!.body as object
    costs.push({
      isSame: JSON.stringify(sent) === body,
      direct: direct.ask(JSON.parse(body)),
      through: through.ask(sent),
      unmarked: unmarked.ask(JSON.parse(withoutMarks(JSON.stringify(sent)))),
    })
  }
  const cut = costs.findIndex(({ isSame }) => !isSame)
  return { before: costs.slice(0, cut), after: costs.slice(cut) }
}

const withoutMarks = (text: string) =>
  text.replaceAll(/,"cache_control":\{"type":"ephemeral"\}/g, '')

type Costs = Awaited<ReturnType<typeof play>>['before']

const sum = (costs: Costs, way: 'direct' | 'through' | 'unmarked') =>
  costs.reduce((all, one) => all + one[way].cost, 0)

describe('what a session of Claude Code costs', () => {
  it('is the same as without the server while it fits, and far less after the first cut', async () => {
    const { before, after } = await play({ count: 60 })
    expect(before.length).toBeGreaterThan(8)
    expect(sum(before, 'through')).toBe(sum(before, 'direct'))
    expect(sum(after, 'through')).toBeLessThan(sum(after, 'direct') * 0.75)
    expect([...before, ...after].map(({ through }) => through.problem ?? '').join('')).toBe('')
    // The control: the same requests without marks are dearer than direct.
    expect(sum(before, 'unmarked')).toBeGreaterThan(sum(before, 'direct') * 2)
    expect(sum(after, 'unmarked')).toBeGreaterThan(sum(after, 'direct') * 2)
  })

  it('has what was read found again where a round has more blocks than a mark looks back', async () => {
    const session = { count: 16, calls: 12 }
    const ours = await play(session)
    const clients = await play({ ...session, cacheMarks: false })
    expect(sum(ours.after, 'through')).toBeLessThan(sum(clients.after, 'through') * 0.7)
    expect(sum(ours.before, 'through')).toBe(sum(clients.before, 'through'))
  })
})

it('a client of OpenAI on Claude reads from the cache what was sent before', async () => {
  const read = async (cacheMarks: boolean) => {
    const scripted = await upstreamWith(({ path }) =>
      path.startsWith('/v1/messages')
        ? anthropicAnswer([{ type: 'text', text: words(200, 7) }])
        : { status: 404, body: {} },
    )
    const upstream = anthropicUpstream({ url: scripted.url, window: 16_000, cacheMarks })
    const client = new OpenAI({
      baseURL: `${(await startServer({ upstream })).url}/v1`,
      apiKey: 'k',
    })
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'system', content: words(2000, 0) },
    ]
    for (let turn = 0; turn < (isLong ? 40 : 20); turn++) {
      messages.push({ role: 'user', content: words(200, turn) })
      await client.chat.completions.create({ model: 'm', messages })
      messages.push({ role: 'assistant', content: words(200, 7) })
    }
    const cache = anthropicCache()
    const bodies = scripted.requests
      .filter(({ path }) => path === '/v1/messages')
      .map(({ body }) => body)
    const costs = bodies.map(body => cache.ask(body))
    expect(costs.filter(({ problem }) => problem !== undefined)).toEqual([])
    const all = costs.reduce((total, { read, written, input }) => total + read + written + input, 0)
    return costs.reduce((total, one) => total + one.read, 0) / all
  }
  expect(await read(true)).toBeGreaterThan(0.85)
  expect(await read(false)).toBe(0)
})
