import { setTimeout as wait } from 'node:timers/promises'

/**
 * A person in one conversation: says something, reads the whole answer, pauses, and goes on. What fails is said again with the same
 * key, as client libraries do, to the next server. Tells which replies were read to their end.
 */
export async function converse(name, { servers, until, pauseMs, notes }) {
  const acknowledged = []
  let at = Math.floor(Math.random() * servers.length)
  await wait(Math.min(Math.random() * pauseMs, until - Date.now()))
  for (let n = 0; Date.now() < until; n++) {
    const text = `${name} says its number ${n}.`
    for (let attempt = 0; ; attempt++) {
      if (Date.now() > until + 60_000) return acknowledged
      const began = performance.now()
      const answer = await ask(servers[at], name, text, began)
      const ms = performance.now() - began
      if (answer.reply !== undefined && answer.isStored) {
        notes.push({ at: Date.now(), ms, first: answer.first, attempt })
        acknowledged.push({ text, reply: answer.reply })
        break
      }
      notes.push({ at: Date.now(), ms, problem: answer.problem ?? 'answered beside the log' })
      at = (at + 1) % servers.length
      await wait(500 + Math.random() * 1_000 * Math.min(8, 2 ** attempt))
    }
    await wait(Math.max(0, Math.min(pauseMs * (0.5 + Math.random()), until - Date.now())))
  }
  return acknowledged
}

async function ask(server, name, text, began) {
  try {
    const response = await fetch(`${server.url}/c/${name}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': text },
      body: JSON.stringify({
        model: 'echo',
        stream: true,
        messages: [{ role: 'user', content: text }],
      }),
      signal: AbortSignal.timeout(60_000),
    })
    if (!response.ok) {
      const problem = JSON.parse(await response.text()).error?.code ?? ''
      return { problem: `${response.status} ${problem}` }
    }
    let reply = ''
    let first
    let rest = ''
    let isWhole = false
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop()
      for (const line of lines) {
        if (line === 'data: [DONE]') isWhole = true
        else if (line.startsWith('data: ')) {
          const { choices = [], error } = JSON.parse(line.slice(6))
          if (error) return { problem: `stream ${error.code ?? error.message}` }
          reply += choices[0]?.delta?.content ?? ''
          if (reply !== '') first ??= performance.now() - began
        }
      }
    }
    const isStored = response.headers.get('x-throughline-stored') !== 'no'
    return isWhole ? { reply, first, isStored } : { problem: 'the stream broke off' }
  } catch (error) {
    return { problem: error.cause?.code ?? error.name }
  }
}
