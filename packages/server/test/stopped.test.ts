import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { MessageLike } from '@throughline/core/messages'
import { createHistory } from '@throughline/history'
import { postgresStore } from '@throughline/stores/postgres'
import { describePostgres } from '@throughline/test-tools/postgres'
import { ollamaAnswer } from '@throughline/test-tools/scripted-upstream'
import { newFolder, serve } from '@throughline/test-tools/serve-process'
import { expect, it, onTestFinished } from 'vitest'

/** A model server that waits in the middle of some answers until it is told to go on. */
async function startModel() {
  const asked: string[] = []
  const waiting = new Set<() => void>()
  async function answer(text: string, response: ServerResponse): Promise<void> {
    const number = asked.push(text)
    const { chunks, headers } = ollamaAnswer([
      { content: `Begun ${number}, ` },
      { content: `ended ${number}.` },
    ])
    response.writeHead(200, headers)
    response.write(chunks[0])
    // The same question again is answered at once.
    if (text.startsWith('think') && asked.indexOf(text) === number - 1)
      await new Promise<void>(resolve => waiting.add(resolve))
    response.end(chunks.slice(1).join(''))
  }
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    if (request.url !== '/api/chat')
      return void response.setHeader('content-type', 'application/json').end('{}')
    const { messages } = JSON.parse(Buffer.concat(pieces).toString()) as { messages: MessageLike[] }
    await answer(String(messages.at(-1)!.content), response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  })
  function goOn() {
    for (const resolve of waiting) resolve()
    waiting.clear()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, goOn, asked }
}

describePostgres('a server that is stopped in the middle of a reply', postgres => {
  async function start() {
    const model = await startModel()
    const flags = [
      '--upstream',
      model.url,
      '--upstream-kind',
      'ollama',
      '--window',
      '4096',
      '--lease-time',
      '1s',
    ]
    const starting = [1, 2].map(() => serve(newFolder(), '--db', postgres.url, ...flags))
    const [one, other] = await Promise.all(starting)
    expect([one!.url, other!.url]).not.toContain('')
    const store = postgresStore({ url: postgres.url })
    onTestFinished(() => store.close())
    return { model, one: one!, other: other!, history: createHistory({ store }) }
  }

  const post = (url: string, messages: readonly MessageLike[], headers = {}, stream = false) =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'm', messages, stream }),
    })

  async function ask(...given: Parameters<typeof post>) {
    const response = await post(...given)
    const text = await response.text()
    expect(response.status, text).toBe(200)
    return JSON.parse(text).choices[0].message as MessageLike
  }

  /** Has the first server begin a reply, and stops its process. `rest` is what its client got, when it is over. */
  async function stopInReply(
    { one }: Awaited<ReturnType<typeof start>>,
    messages: readonly MessageLike[],
    headers = {},
  ) {
    const response = await post(one.url, messages, headers, true)
    const reader = response.body!.getReader()
    let read = ''
    while (!read.includes('Begun')) read += Buffer.from((await reader.read()).value!).toString()
    one.child.kill('SIGSTOP')
    onTestFinished(() => void one.child.kill('SIGCONT'))
    const rest = (async () => {
      for (;;) {
        const { value, done } = await reader.read()
        if (done) return read
        read += Buffer.from(value).toString()
      }
    })()
    const conversation = decodeURIComponent(response.headers.get('x-throughline-conversation')!)
    return { conversation, rest: rest.catch(() => read) }
  }

  it('loses its turn to another one, and cannot write when it wakes', async () => {
    const started = await start()
    const { model, one, other, history } = started
    const first = [{ role: 'user', content: 'think of a boat' }]
    const { conversation, rest } = await stopInReply(started, first)
    // The client asks again, at the other server.
    const reply = await ask(other.url, first, { 'x-stainless-retry-count': '1' })
    expect(reply.content).toBe('Begun 2, ended 2.')
    const said = async () =>
      (await history.thread(conversation).messages()).map(({ content }) => content)
    expect(await said()).toEqual(['think of a boat', 'Begun 2, ended 2.'])

    model.goOn()
    one.child.kill('SIGCONT')
    // Its client is told that it failed: no end of a reply that is not in the log.
    expect(await rest).not.toContain('[DONE]')
    expect(await rest).toContain('lease_lost')
    expect(await said()).toEqual(['think of a boat', 'Begun 2, ended 2.'])
    const turns = await history.thread(conversation).turns()
    expect(turns.map(({ status }) => status)).toEqual(['completed'])
    expect((await history.conversations()).flatMap(({ threads }) => threads)).toHaveLength(1)
    expect(model.asked).toHaveLength(2)

    // The woken server goes on with what the other one wrote.
    const more = await ask(one.url, [...first, reply, { role: 'user', content: 'more' }])
    expect(await said()).toEqual(['think of a boat', 'Begun 2, ended 2.', 'more', more.content])

    // The next message is sent to the other server, which closes the turn that was left.
    const headers = { 'x-throughline-conversation': 'kitchen' }
    const left = await stopInReply(started, [{ role: 'user', content: 'think of a lamp' }], headers)
    await wait(1200)
    const next = await ask(other.url, [{ role: 'user', content: 'are you there?' }], headers)
    model.goOn()
    one.child.kill('SIGCONT')
    expect(await left.rest).not.toContain('[DONE]')
    const thread = history.thread('kitchen')
    expect((await thread.turns()).map(({ status }) => status)).toEqual(['interrupted', 'completed'])
    const shown = async () => (await thread.display()).map(({ content }) => content)
    expect(await shown()).toEqual(['think of a lamp', 'are you there?', next.content])
    const last = await ask(one.url, [{ role: 'user', content: 'fine' }], headers)
    expect((await shown()).slice(3)).toEqual(['fine', last.content])
    expect(await history.check()).toEqual([])
  })
})
