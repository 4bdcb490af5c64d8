import { upstreamWith } from '@throughline/models/fixtures'
import { startServer } from '@throughline/test-tools/start-server'
import { Ollama } from 'ollama'
import { describe, expect, it } from 'vitest'
import { openaiUpstream } from '../src/upstream/model-servers.ts'

/** The server before an upstream that knows nothing of Ollama. */
async function beforeOpenAi(memory = true) {
  const upstream = await upstreamWith(({ path }) =>
    path === '/v1/models'
      ? { status: 200, body: { data: [{ id: 'gpt-5', max_model_len: 9000 }, { id: 'o3' }] } }
      : { status: 404, body: 'no such path' },
  )
  const { url } = await startServer({
    upstream: openaiUpstream({ url: upstream.url }),
    advertisedWindow: 50_000,
    memory,
  })
  return { url, upstream, client: new Ollama({ host: url }) }
}

describe.each([true, false])('before an OpenAI-compatible server (memory %s)', memory => {
  it('tells a version that clients accept', async () => {
    const { url } = await beforeOpenAi(memory)
    const { version } = await (await fetch(`${url}/api/version`)).json()
    expect(version).toBe('0.33.0-throughline')
    expect(isAtLeast(version, [0, 13, 4])).toBe(true)
    expect(await (await fetch(url)).text()).toBe('Ollama is running')
    expect((await fetch(`${url}/api/version`, { method: 'HEAD' })).status).toBe(200)
  })

  it('lists its models for the client of Ollama, with the window that is promised', async () => {
    const { client } = await beforeOpenAi(memory)
    const { models } = await client.list()
    expect(models.map(({ name }) => name)).toEqual(['gpt-5', 'o3'])
    // `ollama list` shows the first twelve digits.
    for (const { digest } of models) expect(digest).toMatch(/^[0-9a-f]{64}$/)
    expect((await client.ps()).models).toMatchObject([
      { name: 'gpt-5', context_length: 50_000 },
      { name: 'o3', context_length: 50_000 },
    ])
  })

  it('shows one of them, and none that it does not have', async () => {
    const { client } = await beforeOpenAi(memory)
    const shown = await client.show({ model: 'gpt-5' })
    expect(shown).toMatchObject({
      capabilities: ['completion', 'tools'],
      model_info: { 'general.architecture': 'openai', 'openai.context_length': 50_000 },
    })
    await expect(client.show({ model: 'gpt-9' })).rejects.toThrow("model 'gpt-9' not found")
  })

  it('passes its own list on', async () => {
    const { url } = await beforeOpenAi(memory)
    const { data } = await (await fetch(`${url}/v1/models`)).json()
    expect(data[0]).toEqual({ id: 'gpt-5', max_model_len: 50_000, context_length: 50_000 })
  })
})

it('says that the upstream is away where it lists nothing', async () => {
  const { url, upstream } = await beforeOpenAi()
  await upstream.close()
  const answer = await fetch(`${url}/api/tags`)
  expect(answer.status).toBe(502)
  expect(await answer.json()).toMatchObject({ error: expect.stringContaining('cannot be reached') })
})

describe('the reader', () => {
  it('tells a version that clients accept, and digests that they can cut', async () => {
    const { url } = await startServer()
    const { version } = await (await fetch(`${url}/api/version`)).json()
    expect(version).toBe('0.33.0-reader')
    expect(isAtLeast(version, [0, 13, 4])).toBe(true)
    const { models } = await new Ollama({ host: url }).list()
    expect(models.map(({ name, digest }) => [name, digest.length])).toEqual([['reader:latest', 64]])
  })
})

/** The order of versions, as clients compare them. */
function isAtLeast(version: string, least: readonly number[]): boolean {
  const parts = version.split('.').map(part => Number.parseInt(part, 10))
  const at = least.findIndex((part, place) => parts[place] !== part)
  return at < 0 || parts[at]! > least[at]!
}
