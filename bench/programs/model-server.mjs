import { once } from 'node:events'
import { createServer } from 'node:http'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { forms } from './forms.mjs'
import { steps } from './task.mjs'

/**
 * A model server that plays the task: each request with tools gets the next step, as a call of a tool that the program has.
 * Titles and summaries get a line. It keeps what it was sent, and refuses prompts of more than `most` tokens.
 */
export async function startModel({ toCall, most = Number.POSITIVE_INFINITY }) {
  const requests = []
  let done = 0
  const server = createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const { pathname } = new URL(request.url, 'http://model')
    const json = (status, value) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(value))
    }
    if (request.method === 'GET' && pathname === '/v1/models')
      return json(200, { object: 'list', data: [{ id: 'scripted', object: 'model' }] })
    const path = pathname.replace('/count_tokens', '')
    const form = forms[path]
    if (!form || request.method !== 'POST') return json(404, { error: { message: 'not found' } })
    const body = JSON.parse(Buffer.concat(chunks).toString())
    // A gateway asks with an empty body whether this form is spoken here.
    if (!body.messages && !body.input)
      return json(400, { error: { message: 'a list of messages is missing' } })
    const parts = form.parts(body).map(part => JSON.stringify(part, withoutMarks))
    const tokens = countTokens(parts.join('\n'), { disallowedSpecial: new Set() })
    if (path !== pathname) return json(200, { input_tokens: tokens })
    if (tokens > most) {
      requests.push({ kind: 'refused', parts: [], tokens })
      return json(400, form.refusal(tokens, most))
    }
    const kind = kindOf(form, body, parts)
    const step = kind === 'main' ? steps[done] : undefined
    const isTorn = form.calls(body).toSorted().join() !== form.results(body).toSorted().join()
    requests.push({ kind, step, parts, tokens, isTorn, body })
    const call = step && toCall(step)
    if (kind === 'main' && done < steps.length - 1) done += 1
    const text = step?.text ?? 'Closing the parts of a harbour register'
    const id = `reply_${requests.length}`
    const reply = {
      id,
      text,
      call: call && { id: `call_${requests.length}`, ...call },
      tokens,
      model: body.model,
    }
    const [{ whole }, ...events] = form.events(reply)
    if (!body.stream) return json(200, whole)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of events)
      response.write(
        `${event.type ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`,
      )
    response.end(path === '/v1/chat/completions' ? 'data: [DONE]\n\n' : '')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    isDone: () => done === steps.length - 1,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The conversation itself, what is asked beside it, or what is read ahead. */
function kindOf(form, body, parts) {
  if (form.limit(body) <= 1) return 'ahead'
  const last = parts.at(-1)
  const isSummary =
    /"user"/.test(last) && /summar|compaction|continuing our conversation/i.test(last)
  const isOver = /another language model started|Continue if you have next steps/i.test(last)
  return (body.tools ?? []).length > 0 && (isOver || !isSummary) ? 'main' : 'side'
}

/** The marks of Anthropic's cache move with each request, and are not read by the model. */
function withoutMarks(name, value) {
  return name === 'cache_control' ? undefined : value
}
