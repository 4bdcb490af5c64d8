import { openaiAnswer, startUpstream } from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import { expect, it, onTestFinished } from 'vitest'
import { openaiUpstream } from '../src/upstream/model-servers.ts'

const user = (content: string) => ({ role: 'user', content })

/** A server whose model looks into a file, then answers. Each call has an id of its own, or all have the same. */
async function start(idOf: (asked: number) => string) {
  let asked = 0
  const bodies: string[] = []
  const model = await startUpstream(({ path, text, body }) => {
    if (!path.endsWith('/chat/completions')) return { status: 404, body: {} }
    bodies.push(text)
    asked += 1
    const { messages } = body as { readonly messages: readonly { readonly role: string }[] }
    const isAsked =
      messages.at(-1)?.role === 'user' && messages.filter(({ role }) => role === 'tool').length < 2
    if (!isAsked) return openaiAnswer([{ content: 'It is done.' }])
    const call = { index: 0, id: idOf(asked), type: 'function' }
    return openaiAnswer(
      [{ tool_calls: [{ ...call, function: { name: 'look', arguments: '{}' } }] }],
      {
        finish: 'tool_calls',
      },
    )
  })
  onTestFinished(() => model.close())
  const server = await startServer({ upstream: openaiUpstream({ url: model.url, window: 32_768 }) })
  const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]
  /** A session of a program that names no conversation, begun with a task. */
  function session(task: string) {
    const list: object[] = [{ role: 'system', content: 'You are Cline.' }, user(task)]
    return {
      list,
      async ask(...more: readonly object[]) {
        list.push(...more)
        const response = await fetch(`${server.url}/v1/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'm', messages: list, tools }),
        })
        const { choices } = (await response.json()) as {
          choices: [{ message: { tool_calls?: readonly { id: string }[] } }]
        }
        const { message } = choices[0]
        list.push(message)
        const place = ['conversation', 'branch'].map(name =>
          response.headers.get(`x-throughline-${name}`),
        )
        return { place: place.join('/'), id: message.tool_calls?.[0]?.id }
      },
    }
  }
  return { ...server, session, bodies }
}

const result = (id: string | undefined, content = 'empty') => ({
  role: 'tool',
  tool_call_id: id,
  content,
})

it('keeps two sessions of equal words apart by the ids of their calls', async () => {
  const { session, history } = await start(asked => `call_${asked}`)
  const one = session('Tidy the folder.')
  const first = await one.ask()
  await one.ask(result(first.id))
  await one.ask(user('Thanks.'))
  const two = session('Tidy the folder.')
  const second = await two.ask()
  expect(second.place).not.toBe(first.place)
  expect((await two.ask(result(second.id))).place).toBe(second.place)
  const { id } = await two.ask(user('And the other folder.'))
  expect((await two.ask(result(id))).place).toBe(second.place)
  // The first goes on where it was, too.
  expect((await one.ask(user('Bye.'))).place).toBe(first.place)
  const conversations = await history.conversations()
  expect(conversations.map(({ threads }) => threads.length)).toEqual([1, 1])
})

it('goes on where a session was when both are asked in turns', async () => {
  const { session, history } = await start(asked => `call_${asked}`)
  const sessions = [session('Tidy the folder.'), session('Tidy the folder.')]
  const places: string[][] = [[], []]
  const ids: (string | undefined)[] = []
  for (const [n, one] of sessions.entries()) {
    const { place, id } = await one.ask()
    places[n]!.push(place)
    ids[n] = id
  }
  for (const [n, one] of sessions.entries()) places[n]!.push((await one.ask(result(ids[n]))).place)
  for (const [n, one] of sessions.entries()) places[n]!.push((await one.ask(user('Thanks.'))).place)
  expect(places.map(all => new Set(all).size)).toEqual([1, 1])
  expect((await history.conversations()).map(({ threads }) => threads.length)).toEqual([1, 1])
})

it('is not led astray by a model that gives all calls the same id', async () => {
  const { session, bodies } = await start(() => 'call_0')
  const one = session('Tidy the kitchen.')
  const first = await one.ask()
  await one.ask(result(first.id, 'a secret of the kitchen'))
  const two = session('Tidy the garden.')
  const second = await two.ask()
  expect((await two.ask(result(second.id))).place).toBe(second.place)
  expect((await one.ask(user('Thanks.'))).place).toBe(first.place)
  await two.ask(user('Thanks.'))
  expect(bodies.at(-1)).not.toContain('secret')
})
