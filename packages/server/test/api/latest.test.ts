import { createHistory } from '@throughline/history'
import { rules } from '@throughline/models/reader'
import { apiClient } from '@throughline/test-tools/api-client'
import { someStores } from '@throughline/test-tools/every-store'
import { startWithExperiments } from '@throughline/test-tools/experiment-plug'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'
import { createKeys } from '../../src/auth/create-keys.ts'
import { readerUpstream } from '../../src/upstream/reader-upstream.ts'

interface Listed {
  readonly conversation: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into all of it
  readonly latest?: any
}

describe.each(await someStores())('where conversations stand, in %s', (_, create) => {
  it('knows the client of an agent that is in its twentieth call, and that it owes a result', async () => {
    const upstream = {
      ...readerUpstream(),
      model: () =>
        rules(() => ({ calls: [{ name: 'read_file', arguments: {} }] }), { window: 8192 }),
    }
    const { url } = await startServer({ store: create(), upstream })
    const api = apiClient(url)
    const messages: object[] = [{ role: 'user', content: 'Read all lines of the file.' }]
    for (let round = 0; round < 20; round++) {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'user-agent': 'Zed/1.2 (linux)', 'x-throughline-conversation': 'agent' },
        body: JSON.stringify({ model: 'm', messages }),
      })
      const { choices } = await response.json()
      const { message } = choices[0]
      const [{ id }] = message.tool_calls
      messages.push(message, { role: 'tool', tool_call_id: id, content: `Line ${round}.` })
    }
    const { latest } = (await api.get('/conversations/agent')).body
    expect(latest).toMatchObject({
      ...{ turns: 1, owed: ['read_file'], status: { state: 'interrupted' } },
      request: { client: 'Zed', at: 1 },
    })
    const { entries } = (await api.get('/conversations/agent/outline?limit=3')).body
    expect(entries.map(({ calls }: { calls?: readonly string[] }) => calls)).toEqual([
      undefined,
      ['read_file'],
      undefined,
    ])
  })

  it('is told in the list and of one, with how it was recognised', async () => {
    const { url, history } = await startServer({ store: create() })
    const api = apiClient(url)
    const client = (body: object, headers = {}) =>
      fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'user-agent': 'Zed/1.2 (linux)', ...headers },
        body: JSON.stringify({ model: 'reader', ...body }),
      }).then(response => response.json())
    const boat = { role: 'user', content: 'The boat is called Seagull.' }
    const first = await client({ messages: [boat] })
    const more = { role: 'user', content: 'What is the boat called?' }
    await client({ messages: [boat, first.choices[0].message, more] })
    await api.say('ada', 'Hello!')
    await api.post('/conversations/ada/fork', { at: 2, as: 'other' })
    await history.thread('left').begin({ role: 'user', content: 'Is anybody there?' })
    const { body } = await api.get('/conversations?latest=true')
    const by = (name: (one: Listed) => boolean) =>
      (body.conversations as Listed[]).find(name)!.latest
    const zed = by(one => one.latest?.request?.client === 'Zed')
    expect(zed).toMatchObject({
      ...{
        actor: 'assistant',
        branch: 'main',
        entries: 4,
        turns: 2,
        branches: 1,
        isExperiment: false,
      },
      ...{ status: { state: 'idle' }, begins: 'The boat is called Seagull.' },
      said: { seq: 4, role: 'assistant', text: expect.stringContaining('Seagull') },
      request: { adapter: 'openai', kind: 'extends', at: 3, why: expect.stringMatching(/./) },
      call: {
        model: 'reader',
        status: 'completed',
        window: 4096,
        warnings: [],
        counts: { kept: 3 },
      },
    })
    expect(zed.call.reused).toBeGreaterThan(0)
    expect(zed.call.reused).toBeLessThan(zed.call.predicted)
    expect(by(one => one.conversation === 'ada')).toMatchObject({ branches: 2, turns: 1 })
    expect(by(one => one.conversation === 'left')).toMatchObject({
      ...{ status: { state: 'open', turn: 1 }, entries: 1, said: { text: 'Is anybody there?' } },
    })
    expect((await api.get('/conversations')).body.conversations[0].latest).toBeUndefined()
    expect((await api.get('/conversations/ada')).body.latest).toMatchObject({ branches: 2 })
    const { body: found } = await api.get('/search?q=boat')
    for (const { snippet, hits } of found.found)
      expect(hits.map(([from, to]: [number, number]) => snippet.slice(from, to))).toContain('boat')
  })

  it('tells those who may only read nothing of calls and clients', async () => {
    const store = create()
    const { key } = await createKeys(store).create({
      name: 'test',
      tenant: 'default',
      scopes: ['read'],
    })
    const { url } = await startServer({ store })
    await apiClient(url).say('ada', 'Hello!')
    const { body } = await apiClient(url, { authorization: `Bearer ${key}` }).get(
      '/conversations/ada',
    )
    expect(body.latest).toMatchObject({ turns: 1, said: { role: 'assistant' } })
    expect(body.latest.call).toBeUndefined()
    expect(body.latest.request).toBeUndefined()
  })

  it('is told of an experiment, and of a call that failed', async () => {
    const { api, store } = await startWithExperiments({ store: create() })
    await api.post('/samples/experiment')
    for await (const _ of api.events('/experiments/sample-lemonade-stand/events'));
    const { body } = await api.get('/conversations/sample-lemonade-stand')
    expect(body.latest).toMatchObject({
      isExperiment: true,
      actor: 'owner',
      call: { model: 'scripted owner' },
    })
    const thread = createHistory({ store }).thread('failing')
    const begun = await thread.begin({ role: 'user', content: 'Hi.' })
    const call = await thread.startCall(await thread.context(), { model: 'm' })
    await call.end({ status: 'completed', reported: 3, warnings: ['prompt_truncated'] })
    const second = await thread.startCall(await thread.context(), { model: 'm' })
    expect((await api.get('/conversations/failing')).body.latest.call).toMatchObject({
      status: 'sent',
    })
    await second.end({ status: 'failed', error: 'model_busy' })
    if (begun.kind === 'begun') await begun.turn.fail('model_busy')
    const { latest } = (await api.get('/conversations/failing')).body
    expect(latest.call).toMatchObject({ status: 'failed', warnings: ['model_busy'] })
    const { body: calls } = await api.get('/conversations/failing/calls')
    expect(calls.calls).toMatchObject([
      { status: 'failed', warnings: ['model_busy'] },
      { status: 'completed', warnings: ['prompt_truncated'] },
    ])
  })
})
