// A model server that answers at once, in the way of OpenAI: what is left of a request's time is the proxy's.
// `--streams-ms N`: a streamed reply takes that long.
import { createServer } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

const slow = Number(process.argv[2] ?? 0)
const words = Array.from({ length: 20 }, (_, n) => `word${n} `)
const windows = { bench: 8192, agent: 200_000 }

const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  if (request.method === 'GET') {
    response.setHeader('content-type', 'application/json')
    const data = Object.entries(windows).map(([id, max_model_len]) => ({
      id,
      object: 'model',
      max_model_len,
    }))
    return response.end(JSON.stringify({ object: 'list', data }))
  }
  const bytes = Buffer.concat(chunks)
  const { stream, tools } = JSON.parse(bytes.toString())
  // About what a tokenizer would count. Far fewer would look like a prompt that was cut in silence.
  const prompt_tokens = Math.ceil(bytes.length / 4)
  const usage = { prompt_tokens, completion_tokens: 20, total_tokens: prompt_tokens + 20 }
  // Whoever offers tools gets a call at the end.
  const call = {
    index: 0,
    id: 'call_1',
    type: 'function',
    function: { name: 'tool_0', arguments: '{"path":"a.ts"}' },
  }
  const calls = tools && { tool_calls: [call] }
  const ending = tools ? 'tool_calls' : 'stop'
  const base = { id: 'chatcmpl-1', created: 1, model: 'bench' }
  if (!stream) {
    const message = { role: 'assistant', content: words.join(''), ...calls }
    response.setHeader('content-type', 'application/json')
    const choices = [{ index: 0, message, finish_reason: ending }]
    return response.end(JSON.stringify({ ...base, object: 'chat.completion', choices, usage }))
  }
  response.setHeader('content-type', 'text/event-stream')
  const send = (choices, more = {}) =>
    response.write(
      `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices, ...more })}\n\n`,
    )
  send([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }])
  for (const content of words) {
    if (slow > 0) await wait(slow / words.length)
    send([{ index: 0, delta: { content }, finish_reason: null }])
  }
  if (calls) send([{ index: 0, delta: calls, finish_reason: null }])
  send([{ index: 0, delta: {}, finish_reason: ending }])
  send([], { usage })
  response.end('data: [DONE]\n\n')
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
