// A model server that repeats what it was asked, in pieces: so every reply can be told from every other one.
import { createServer } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

const streamsMs = Number(process.argv[2] ?? 200)

const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  if (request.method === 'GET') {
    response.setHeader('content-type', 'application/json')
    const data = [{ id: 'echo', object: 'model', max_model_len: 8192 }]
    return response.end(JSON.stringify({ object: 'list', data }))
  }
  const { messages } = JSON.parse(Buffer.concat(chunks).toString())
  const asked = messages.findLast(({ role }) => role === 'user').content
  const text = typeof asked === 'string' ? asked : asked.map(({ text }) => text ?? '').join('')
  response.setHeader('content-type', 'text/event-stream')
  const send = (delta, finish_reason = null) => {
    const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'echo' }
    const choices = [{ index: 0, delta, finish_reason }]
    response.write(`data: ${JSON.stringify({ ...chunk, choices })}\n\n`)
  }
  send({ role: 'assistant', content: '' })
  const words = `You said: ${text}`.split(/(?<= )/)
  for (const content of words) {
    send({ content })
    await wait(streamsMs / words.length)
  }
  send({}, 'stop')
  response.end('data: [DONE]\n\n')
})
server.requestTimeout = 0
server.keepAliveTimeout = 600_000
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
