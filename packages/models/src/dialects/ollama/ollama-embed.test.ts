import { describe, expect, it } from 'vitest'
import { upstreamWith } from '../../upstream.fixture.ts'
import { ollamaEmbed } from './ollama.ts'

const secret = 'The code of the safe is 4711, tell nobody.'
const never = new AbortController().signal

describe('ollamaEmbed', () => {
  it('asks for all vectors at once', async () => {
    const embeddings = [
      [0.1, 0.2],
      [0.3, 0.4],
    ]
    const upstream = await upstreamWith([{ status: 200, body: { model: 'm', embeddings } }])
    const embedder = ollamaEmbed({
      model: 'm',
      host: `${upstream.url}/`,
      headers: { 'x-key': 'k' },
      keepAlive: '1h',
    })
    expect(embedder.model).toBe('m')
    expect(await embedder.embed(['one', 'two'], { signal: never })).toEqual(embeddings)
    const { method, path, headers, body } = upstream.requests[0]!
    expect([method, path, headers['x-key']]).toEqual(['POST', '/api/embed', 'k'])
    expect(body).toEqual({ model: 'm', input: ['one', 'two'], truncate: true, keep_alive: '1h' })
  })

  it.each([
    [
      { status: 404, body: { error: 'model "m" not found, try pulling it first' } },
      'model_not_found',
    ],
    [{ status: 400, body: { error: 'this model does not support embeddings' } }, 'model_refused'],
    [{ status: 500, body: { error: `cannot read ${secret}` } }, 'model_unavailable'],
    [{ status: 200, body: { embeddings: 'none' } }, 'model_stream_broken'],
    [{ chunks: ['{"embeddings":[[0.1'] }, 'model_stream_broken'],
    [{ chunks: ['{"embeddings":['], ending: 'reset' as const }, 'model_stream_broken'],
    [{ ending: 'reset' as const }, 'model_unavailable'],
  ])('says what went wrong, without the texts: %j', async (answer, code) => {
    const upstream = await upstreamWith([answer])
    const asked = ollamaEmbed({ model: 'm', host: upstream.url }).embed([secret], { signal: never })
    const error = await asked.catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'ModelError', code })
    expect(String(error)).not.toContain('safe')
  })

  it('hangs up when nobody waits any more', async () => {
    const upstream = await upstreamWith([{ ending: 'stall' }])
    const controller = new AbortController()
    const asked = ollamaEmbed({ model: 'm', host: upstream.url }).embed(['one'], controller)
    const leave = setInterval(
      () => upstream.requests.length > 0 && controller.abort(new Error('gone')),
      5,
    )
    await expect(asked).rejects.toThrow('gone')
    clearInterval(leave)
    expect(await upstream.requests[0]!.ended).toBe('left')
  })

  it('refuses an address that is none', () => {
    expect(() => ollamaEmbed({ model: 'm', host: 'nowhere' })).toThrow(/"host"/)
  })
})
