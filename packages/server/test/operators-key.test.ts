import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startServer } from '@throughline/test-tools/start-server'
import { expect, it, onTestFinished } from 'vitest'
import { openaiUpstream } from '../src/upstream/model-servers.ts'

const apiKey = 'operators-own/4711'
const said = { index: 0, delta: { role: 'assistant', content: 'operators' } }
const beginning = `data: ${JSON.stringify({ id: 'a', object: 'chat.completion.chunk', choices: [said] })}\n\n`
const fault = (key: string) =>
  `data: ${JSON.stringify({ error: { message: `bad key ${key}` } })}\n\n`

/** A model server that fails in the middle of its stream and repeats the key, torn between two pieces. */
async function startFailing() {
  const server = createServer(async (request, response) => {
    await request.resume().toArray()
    if (request.method === 'GET') return void response.end('{"data":[{"id":"m"}]}')
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const text = `${beginning}${fault(apiKey)}`
    const middle = text.indexOf(apiKey) + 5
    response.write(text.slice(0, middle))
    setTimeout(() => response.end(text.slice(middle)), 20)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise(resolve => server.once('listening', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it.each(['/v1/chat/completions', '/v1/completions'])(
  'the key of the operator reaches no client in a stream of %s that fails',
  async path => {
    const upstream = openaiUpstream({ url: await startFailing(), apiKey })
    const { url } = await startServer({ upstream })
    const body = {
      model: 'm',
      stream: true,
      prompt: 'hi',
      messages: [{ role: 'user', content: 'hi' }],
    }
    const response = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) })
    expect(await response.text()).toBe(`${beginning}${fault('*'.repeat(apiKey.length))}`)
  },
)
