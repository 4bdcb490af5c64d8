import { type Content, GoogleGenAI } from '@google/genai'
import { type RulesRequest, rules } from '@throughline/models/reader'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'
import { readerUpstream } from '../../src/upstream/reader-upstream.ts'

const look = {
  name: 'look',
  description: 'Looks at a place.',
  parametersJsonSchema: { type: 'object', properties: { at: { type: 'string' } } },
}
const tools = [{ functionDeclarations: [look] }]

/** A server whose model looks where it can, and says what it was told. */
async function start(options: Parameters<typeof startServer>[0] = {}) {
  const prompts: RulesRequest[] = []
  const rule = (request: RulesRequest) => {
    prompts.push(request)
    const last = request.messages.at(-1)!
    const looks = last.role === 'user' && request.tools?.some(({ name }) => name === 'look')
    if (looks) return { calls: [{ name: 'look', arguments: { at: 'lake' } }] }
    return `You said: ${String(last.content)}`
  }
  const upstream = { ...readerUpstream(), model: () => rules(rule, { window: 4096 }) }
  const server = await startServer({ upstream, ...options })
  const client = new GoogleGenAI({ apiKey: 'theirs', httpOptions: { baseUrl: server.url } })
  const post = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${server.url}/v1beta/models/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  return { ...server, prompts, client, post }
}

const user = (text: string): Content => ({ role: 'user', parts: [{ text }] })

describe('a client of Gemini', () => {
  it('goes on with its list as one conversation, with calls that have no ids', async () => {
    const { client, history, prompts } = await start()
    const contents = [user('What is there?')]
    const config = { tools, systemInstruction: 'Be kind.' }
    const called = await client.models.generateContent({ model: 'm', contents, config })
    const [call] = called.functionCalls!
    expect(call).toMatchObject({ name: 'look', args: { at: 'lake' } })
    const { id: _, ...anonymous } = call!
    const functionResponse = { name: 'look', response: { output: 'A heron.' } }
    const list: Content[] = [
      ...contents,
      { role: 'model', parts: [{ functionCall: anonymous }] },
      { role: 'user', parts: [{ functionResponse }] },
    ]
    let said = ''
    for await (const { text } of await client.models.generateContentStream({
      model: 'm',
      contents: list,
      config,
    }))
      said += text ?? ''
    expect(said).toBe('You said: A heron.')
    expect(prompts.at(-1)!.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
    ])
    const conversations = await history.conversations()
    expect(conversations).toHaveLength(1)
    const [{ conversation, threads }] = conversations as [(typeof conversations)[0]]
    expect(threads).toHaveLength(1)
    expect((await history.thread(conversation).messages()).map(({ role }) => role)).toEqual([
      ...['user', 'assistant', 'tool', 'assistant'],
    ])
  })

  it('gets a list of pieces where its stream is no stream of events', async () => {
    const { post } = await start()
    const response = await post('m:streamGenerateContent', { contents: [user('Hello.')] })
    expect(await response.json()).toMatchObject([
      {
        candidates: [{ content: { parts: [{ text: 'You said: Hello.' }] }, finishReason: 'STOP' }],
      },
    ])
  })

  it('is told of models and tokens', async () => {
    const { client, url } = await start()
    const names: (string | undefined)[] = []
    for await (const { name } of await client.models.list()) names.push(name)
    expect(names).toEqual(['models/reader'])
    expect(await client.models.get({ model: 'reader' })).toMatchObject({
      inputTokenLimit: 1_000_000,
    })
    const few = await client.models.countTokens({ model: 'm', contents: 'Hello.' })
    const many = await client.models.countTokens({ model: 'm', contents: 'Hello. '.repeat(100) })
    expect(many.totalTokens! - few.totalTokens!).toBeGreaterThan(100)
    const inner = { generateContentRequest: { model: 'models/m', contents: [user('Hello.')] } }
    const counted = await fetch(`${url}/v1beta/models/m:countTokens`, {
      method: 'POST',
      body: JSON.stringify(inner),
    })
    expect(await counted.json()).toEqual({ totalTokens: few.totalTokens })
  })

  it('may send its key in the way of Google, and no upstream sees it', async () => {
    const { post } = await start({ apiKeys: ['a-key-of-the-configuration'] })
    const ask = (key: string) =>
      post('m:generateContent', { contents: [user('Hello.')] }, { 'x-goog-api-key': key })
    expect((await ask('a-key-of-the-configuration')).status).toBe(200)
    const refused = await ask('another')
    expect(refused.status).toBe(401)
    expect(await refused.json()).toMatchObject({ error: { code: 401, status: 'UNAUTHENTICATED' } })
  })

  it('is refused in the words of Google: what does not fit, what is no request, what is not here', async () => {
    const { client, post } = await start()
    const failure = client.models.generateContent({ model: 'm', contents: 'word '.repeat(9000) })
    await expect(failure).rejects.toThrow(
      /input token count \(\d+\) exceeds the maximum number of tokens/,
    )
    expect(
      await (await post('m:generateContent', { contents: [{ role: 'robot' }] })).json(),
    ).toMatchObject({
      error: {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message: expect.stringContaining('contents[0].role'),
      },
    })
    expect(await (await post('m:embedContent', {})).json()).toMatchObject({
      error: { code: 404, status: 'NOT_FOUND' },
    })
  })

  it('has the newest messages where all of them do not fit, and nothing is lost', async () => {
    const { client, history, prompts } = await start()
    const contents = Array.from({ length: 200 }, (_, at): Content => {
      const text = `Remark ${at}. ${'It goes on for a while. '.repeat(6)}`
      return { role: at % 2 === 0 ? 'user' : 'model', parts: [{ text }] }
    })
    await client.models.generateContent({ model: 'm', contents: [...contents, user('And now?')] })
    const sent = JSON.stringify(prompts.at(-1)!.messages)
    expect(sent).toContain('Remark 199.')
    expect(sent).not.toContain('Remark 60.')
    const [info] = await history.conversations()
    const { conversation } = info!
    expect(await history.thread(conversation).messages()).toHaveLength(202)
  })
})
