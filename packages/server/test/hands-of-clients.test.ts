import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startServer } from '@throughline/test-tools/start-server'
import { expect, it, onTestFinished } from 'vitest'
import { openaiUpstream } from '../src/upstream/model-servers.ts'

/** A server of a model that speaks the form of OpenAI, and the bodies that it got. */
async function startModel() {
  const bodies: string[] = []
  const model = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    if (request.method === 'POST') bodies.push(body)
    const message = { role: 'assistant', content: 'Noted.' }
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        id: 'a',
        choices: [{ index: 0, message, finish_reason: 'stop' }],
        data: [],
      }),
    )
  })
  await new Promise<void>(resolve => model.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void model.close())
  const { port } = model.address() as AddressInfo
  return { bodies, upstream: openaiUpstream({ url: `http://127.0.0.1:${port}`, window: 4096 }) }
}

it('neither a hidden nor an erased message reaches the model by a client that sends it again, in its own form', async () => {
  const { bodies, upstream } = await startModel()
  const { url, history } = await startServer({ upstream })
  const list: object[] = []
  const say = async (content: string) => {
    list.push({ role: 'user', content })
    const body = JSON.stringify({ model: 'm', messages: list })
    const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body })
    expect(answer.status).toBe(200)
    list.push({ role: 'assistant', content: 'Noted.' })
  }
  await say('The boat is called Heron.')
  await say('The code of the safe is TEAL-42.')
  await say('The harbour is cold.')
  const [first] = await history.conversations()
  const conversation = first!.conversation
  expect(bodies.at(-1)).toContain('TEAL-42')
  const api = (path: string, method: string) =>
    fetch(`${url}/throughline/v1/conversations/${conversation}${path}`, { method })
  expect((await api('/entries/3', 'DELETE')).status).toBe(200)
  expect((await api('/entries/5/hide', 'POST')).status).toBe(200)
  await say('What do you know?')
  expect(await history.conversations()).toHaveLength(1)
  expect(bodies.at(-1)).toContain('Heron')
  expect(bodies.at(-1)).not.toContain('TEAL-42')
  expect(bodies.at(-1)).not.toContain('cold')
})

it('only the person of a conversation pins and hides in it', async () => {
  const { url, history } = await startServer()
  const as = (person: string, path: string, method = 'POST', body?: object) =>
    fetch(`${url}${path}`, {
      method,
      headers: { 'x-throughline-person': person },
      ...(body && { body: JSON.stringify(body) }),
    })
  const messages = [{ role: 'user', content: 'My boat is called Heron.' }]
  expect(
    (await as('ada', '/c/trip/v1/chat/completions', 'POST', { model: 'reader', messages })).status,
  ).toBe(200)
  const path = '/throughline/v1/conversations/trip/entries/1'
  for (const does of ['pin', 'hide'])
    for (const method of ['POST', 'DELETE'])
      expect([does, method, (await as('ben', `${path}/${does}`, method)).status]).toEqual([
        does,
        method,
        404,
      ])
  expect((await history.thread('trip').hands()).hidden).toEqual([])
  expect((await as('ada', `${path}/hide`)).status).toBe(200)
  expect((await history.thread('trip').hands()).hidden).toEqual([{ first: 1, last: 1 }])
})
