import { describe, expect, it } from 'vitest'
import { ollamaAnswer, openaiAnswer, type UpstreamAnswer } from '../../../test/scripted-upstream.ts'
import { failureOf, upstreamWith } from '../../models/upstream.fixture.ts'
import type { UpstreamTimeouts } from './connection.ts'
import { ollamaUpstream } from './ollama-upstream.ts'
import { openaiUpstream } from './openai-upstream.ts'
import { opened } from './upstream.fixture.ts'
import type { Upstream } from './upstream.ts'

const secret = 'The code of the safe is 4711, tell nobody.'
const messages = [{ role: 'user', content: secret }]

interface Spoken {
  readonly make: (url: string, timeouts?: Partial<UpstreamTimeouts>) => Upstream
  /** A whole answer, in chunks. */
  readonly chunks: readonly string[]
  readonly error: string
  readonly endless: string
  /** A whole answer whose text is a number, or whose call has one for a name. */
  readonly odd: readonly (readonly string[])[]
}

const spoken: Readonly<Record<string, Spoken>> = {
  ollama: {
    make: (url, timeouts = {}) => ollamaUpstream({ url, apiKey: 'key-of-ours', timeouts }),
    chunks: ollamaAnswer([{ content: 'one' }, { content: 'two' }]).chunks,
    error: '{"error":"out of memory"}\n',
    endless: '{"message":{"content":"',
    odd: [
      { content: 5 },
      { thinking: { deep: true } },
      { tool_calls: [{ function: { name: 5 } }] },
      { tool_calls: 5 },
    ].map(message => ollamaAnswer([message]).chunks),
  },
  openai: {
    make: (url, timeouts = {}) => openaiUpstream({ url, apiKey: 'key-of-ours', timeouts }),
    chunks: openaiAnswer([{ content: 'one' }, { content: 'two' }]).chunks,
    error: 'data: {"error":{"message":"out of memory","type":"server_error"}}\n\n',
    endless: 'data: {"choices":"',
    odd: [
      { content: 5 },
      { reasoning: ['deep'] },
      { tool_calls: [{ index: 0, id: 'c', function: { name: 5 } }] },
      { tool_calls: [null] },
    ].map(delta => openaiAnswer([delta]).chunks),
  },
}

describe.each(Object.entries(spoken))('%s', (_, { make, chunks, error: errorLine, endless, odd }) => {
  const begun = chunks.slice(0, 2)

  async function speakTo(answer: UpstreamAnswer, timeouts?: Partial<UpstreamTimeouts>) {
    const isChat = (path: string) => path === '/api/chat' || path === '/v1/chat/completions'
    const wire = await upstreamWith(({ path }) => (isChat(path) ? answer : { status: 404, body: {} }))
    const upstream = opened(make(wire.url, timeouts))
    const chat = () => wire.requests.find(({ path }) => isChat(path))
    return { wire, upstream, chat, model: upstream.model('tiny') }
  }

  const failureFrom = async (answer: UpstreamAnswer, timeouts?: Partial<UpstreamTimeouts>) =>
    failureOf((await speakTo(answer, timeouts)).model.stream({ messages }))

  it.each([
    [429, { error: 'too many' }, 'model_busy'],
    [500, { error: 'runner has crashed' }, 'model_unavailable'],
    [503, '<html>', 'model_unavailable'],
    [404, { error: 'no such model' }, 'model_not_found'],
    [400, { error: 'no tools' }, 'model_refused'],
    [401, { error: 'key-of-ours is wrong' }, 'model_refused'],
    [302, '', 'model_refused'],
  ])('a status of %i %j is %s', async (status, body, code) => {
    const { error, parts } = await failureFrom({ status, body })
    expect(error).toMatchObject({ code, status })
    expect(error.message).not.toContain('key-of-ours')
    expect(parts).toEqual([])
  })

  it('follows no redirect', async () => {
    const other = await upstreamWith([])
    const { error } = await failureFrom({ status: 307, headers: { location: `${other.url}/x` } })
    expect(error.message).toContain('not followed')
    expect(other.requests).toEqual([])
  })

  const broken: [string, UpstreamAnswer, string][] = [
    ['ends early', { chunks: begun }, 'ended its answer before'],
    ['ends at once', { chunks: [] }, 'ended its answer before'],
    ['is reset', { chunks: begun, ending: 'reset' }, 'broke off'],
    ['has an error', { chunks: [...begun, errorLine] }, 'out of memory'],
    ['has bad JSON', { chunks: [...begun, chunks[2]!.slice(0, 30), '\n\n'] }, 'cannot be read'],
    ['breaks off inside a line', { chunks: [...begun, chunks[2]!.slice(0, 30)] }, 'cannot be read'],
  ]
  it.each(broken)('a stream that %s is an error, after what came', async (_, answer, words) => {
    const { error, parts } = await failureFrom(answer)
    expect(error).toMatchObject({ code: 'model_stream_broken', isRetryable: true })
    expect(error.message).toContain(words)
    expect(parts).toEqual(
      'chunks' in answer && answer.chunks.length > 0
        ? [
            { type: 'text-delta', text: 'one' },
            { type: 'text-delta', text: 'two' },
          ]
        : [],
    )
  })

  it('a stream with something else where a text should be is an error', async () => {
    for (const chunks of odd)
      expect((await failureFrom({ chunks })).error).toMatchObject({ code: 'model_stream_broken' })
  })

  it('is unavailable when it cuts the connection before it answers, or is not there', async () => {
    expect((await failureFrom({ ending: 'reset' })).error.code).toBe('model_unavailable')
    const { wire, model } = await speakTo({ chunks: [] })
    await wire.close()
    const { error } = await failureOf(model.stream({ messages }))
    expect(error).toMatchObject({ code: 'model_unavailable', isRetryable: true })
    expect(error.message).toContain('ECONNREFUSED')
  })

  it('is stalled when it never begins, or falls silent', async () => {
    const { error } = await failureFrom({ ending: 'stall' }, { first: 50 })
    expect(error.code).toBe('model_stalled')
    const silent = await failureFrom({ chunks: begun, ending: 'stall' }, { silence: 50 })
    expect(silent.error.code).toBe('model_stalled')
    expect(silent.parts.length).toBe(2)
  })

  it('does not get what was sent into an error', async () => {
    const { error } = await failureFrom({ status: 400, body: { error: `bad: ${secret}` } })
    expect(error.message).not.toContain('safe')
  })

  it('a line of 100 MB that does not end fails before it fills the memory', async () => {
    const megabyte = 'x'.repeat(1024 * 1024)
    const { model, chat } = await speakTo({
      chunks: [endless, ...Array.from({ length: 100 }, () => megabyte)],
      ending: 'stall',
    })
    const { error } = await failureOf(model.stream({ messages }))
    expect(error).toMatchObject({ code: 'model_stream_broken' })
    expect(error.message).toContain('more than 16777216 bytes')
    expect(await chat()!.ended).toBe('left')
  })

  it('an error with a very long body is quoted in part', async () => {
    const { error } = await failureFrom({ status: 500, body: 'no '.repeat(5_000_000) })
    expect(error.message.length).toBeLessThan(1000)
  })

  describe('a client that leaves', () => {
    it.each(['before the answer', 'in the answer'])('stops the upstream %s', async when => {
      const { model, chat } = await speakTo(
        when === 'in the answer' ? { chunks: begun, ending: 'stall' } : { ending: 'stall' },
      )
      const leaving = new AbortController()
      const reason = new Error('left')
      const stream = model.stream({ messages, signal: leaving.signal })[Symbol.asyncIterator]()
      const read = async () => {
        for (let next = await stream.next(); !next.done; next = await stream.next());
      }
      const reading = read()
      await expect.poll(() => chat()).toBeDefined()
      leaving.abort(reason)
      await expect(reading).rejects.toBe(reason)
      expect(await chat()!.ended).toBe('left')
    })

    it('stops the upstream by reading no more', async () => {
      const { model, chat } = await speakTo({ chunks: begun, ending: 'stall' })
      for await (const _ of model.stream({ messages })) break
      expect(await chat()!.ended).toBe('left')
    })

    it('asks nothing if the signal is aborted already', async () => {
      const { model, wire } = await speakTo({ chunks })
      const signal = AbortSignal.abort('early')
      await expect(failureOf(model.stream({ messages, signal }))).rejects.toBe('early')
      expect(wire.requests).toEqual([])
    })
  })
})
