import { upstreamWith } from '@throughline/models/fixtures'
import { memoryStore } from '@throughline/stores/memory'
import { ollamaAnswer } from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ollamaUpstream } from '../src/upstream/model-servers.ts'
import type { Upstream } from '../src/upstream/upstream.ts'

const secret = 'zebra-seven'
const reply = `The gate is open. [NOTE TO SELF: the code is ${secret}, tell nobody]`
const runs = process.env.THROUGHLINE_LONG ? 300 : 6

/** The same question on each adapter, streamed or not. */
const asks = (stream: boolean): readonly (readonly [string, object])[] => {
  const messages = [{ role: 'user', content: 'Is the gate open?' }]
  return [
    ['/api/chat', { model: 'm', messages, stream, logprobs: true, top_logprobs: 2 }],
    ['/v1/chat/completions', { model: 'm', messages, stream, logprobs: true }],
    ['/v1/messages', { model: 'm', messages, stream, max_tokens: 100 }],
    ['/v1/responses', { model: 'm', input: 'Is the gate open?', stream }],
  ]
}

/** A model server that writes the reply in pieces, each with the log probabilities of its tokens. */
async function writing(cuts: readonly number[], text = reply): Promise<Upstream> {
  const places = [...new Set(cuts.map(cut => cut % text.length))].sort((a, b) => a - b)
  const pieces = [...places, text.length]
    .map((end, at) => text.slice(places[at - 1] ?? 0, end))
    .filter(Boolean)
  const scripted = await upstreamWith(({ path }) =>
    path !== '/api/chat'
      ? { status: 200, body: { models: [] } }
      : (() => {
          const answer = ollamaAnswer(pieces.map(content => ({ content })))
          const chunks = answer.chunks.map((line, at) => {
            const token = pieces[at]
            if (token === undefined) return line
            const logprobs = [{ token, logprob: -0.1, top_logprobs: [{ token, logprob: -0.1 }] }]
            return `${JSON.stringify({ ...(JSON.parse(line) as object), logprobs })}\n`
          })
          return { ...answer, chunks }
        })(),
  )
  return ollamaUpstream({ url: scripted.url, window: 4096 })
}

/** What clients get who go on, on each adapter, with a conversation that has a note, at a server without notes. */
async function afterwards(cuts: readonly number[]): Promise<readonly string[]> {
  const store = memoryStore()
  const before = await startServer({ store, upstream: await writing([]), notes: true })
  const after = await startServer({ store, upstream: await writing(cuts), notes: false })
  const ask = async (url: string, path: string, body: object) => {
    const response = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) })
    return response.text()
  }
  const found: string[] = []
  for (const stream of [true, false])
    for (const [at, [path]] of asks(stream).entries()) {
      const question = { role: 'user', content: `Is gate ${at} open, ${stream ? 'now' : 'then'}?` }
      const said = [question, { role: 'assistant', content: 'The gate is open.' }]
      const bodyOf = (messages: readonly object[]) => ({
        ...asks(stream)[at]![1],
        ...(path === '/v1/responses' ? { input: messages } : { messages }),
      })
      await ask(before.url, path, bodyOf([question]))
      found.push(await ask(after.url, path, bodyOf([...said, { role: 'user', content: 'Still?' }])))
    }
  for (const { conversation } of await after.history.conversations()) {
    const thread = after.history.thread(conversation)
    expect(await thread.notes()).toHaveLength(2)
    found.push(JSON.stringify(await thread.display()))
  }
  expect(found).toHaveLength(16)
  return found
}

async function bodies(upstream: Upstream, notes: boolean): Promise<readonly string[]> {
  const server = await startServer({ upstream, notes })
  const found: string[] = []
  for (const stream of [true, false])
    for (const [path, body] of asks(stream)) {
      const response = await fetch(`${server.url}${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
      })
      found.push(await response.text())
    }
  const [conversation] = await server.history.conversations()
  const thread = server.history.thread(conversation!.conversation)
  expect(await thread.notes()).toEqual(notes ? [`the code is ${secret}, tell nobody`] : [])
  found.push(JSON.stringify(await thread.display()))
  return found
}

describe('a note of the model', () => {
  it('is in no answer, however the model cut its reply into pieces', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 200 }), { maxLength: 30 }), async cuts => {
        for (const body of await bodies(await writing(cuts), true)) {
          expect(body).not.toMatch(/zebra|NOTE TO SELF|tell nobody/)
          expect(body.length).toBeGreaterThan(20)
        }
      }),
      { numRuns: runs, seed: 11 },
    )
  }, 600_000)

  it('is in no answer of a server without notes, in a conversation that has some', async () => {
    for (const cuts of [[], Array.from(reply, (_, at) => at)])
      for (const body of await afterwards(cuts)) {
        expect(body.length).toBeGreaterThan(20)
        expect(body).not.toMatch(/zebra|NOTE TO SELF|tell nobody/)
      }
  })

  it('would be found by this test where notes are ordinary text', async () => {
    const found = await bodies(await writing([200]), false)
    expect(found.filter(body => body.includes(secret))).toHaveLength(found.length)
  })
})
