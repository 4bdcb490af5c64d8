import type { MessageLike } from '@throughline/core/messages'
import { type RulesAnswer, type RulesRequest, rules } from '@throughline/models/reader'
import { startServer } from '@throughline/test-tools/start-server'
import { expect, it } from 'vitest'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'

const image = (name: string) => {
  const url = `data:image/png;base64,${Buffer.from(`\x89PNG\r\n\x1a\n${name}`).toString('base64')}`
  return { type: 'image_url', image_url: { url } }
}
const pdf = (name: string) => {
  const data = Buffer.from(`%PDF-1.4 ${name}`).toString('base64')
  return {
    type: 'file',
    file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${data}` },
  }
}
const user = (text: string, ...parts: readonly object[]) => ({
  role: 'user',
  content: parts.length === 0 ? text : [{ type: 'text', text }, ...parts],
})

/** A server whose model answers alike in all chats, and what the model was sent last. */
async function start(rule: (request: RulesRequest) => RulesAnswer = () => 'I see.') {
  let sent = ''
  const server = await startServer({
    upstream: {
      ...readerUpstream(),
      model: () =>
        rules(
          request => {
            sent = JSON.stringify(request.messages)
            return rule(request)
          },
          { window: 100_000 },
        ),
    },
  })
  async function ask(messages: readonly object[], headers: Readonly<Record<string, string>> = {}) {
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'm', messages, tools: [tool] }),
    })
    const { choices } = (await response.json()) as { choices: [{ message: MessageLike }] }
    const place = ['conversation', 'branch']
      .map(name => response.headers.get(`x-throughline-${name}`))
      .join('/')
    return { message: choices[0].message, place }
  }
  const why = () => (server.served.at(-1)!.place as { readonly why: string }).why
  return { ...server, ask, sent: () => sent, why }
}

const tool = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } }
const dataOf = (part: object) => JSON.stringify(part).match(/base64,([^"]+)/)![1]!

it.each([
  ['image', image('cat'), image('dog')],
  ['file', pdf('one'), pdf('two')],
])(
  'two chats with the same words and another %s are two, and each goes on with its own',
  async (_, a, b) => {
    const { ask, sent, history } = await start()
    const chats = [a, b].map(part => ({
      part,
      list: [user('What is this?', part)] as MessageLike[],
      places: [] as string[],
    }))
    for (const text of ['And now?', 'Sure?', ''])
      for (const { list, places } of chats) {
        const { message, place } = await ask(list)
        places.push(place)
        const [own, other] = list === chats[0]!.list ? [a, b] : [b, a]
        expect(sent()).toContain(dataOf(own))
        expect(sent()).not.toContain(dataOf(other))
        list.push(message, user(text))
      }
    for (const { places } of chats) expect(new Set(places).size).toBe(1)
    expect(await history.conversations()).toHaveLength(2)
  },
)

it('two chats whose calls have other arguments, or other results, are two', async () => {
  const { ask, sent } = await start()
  const past = (path: string, result: string) => [
    user('Look there.'),
    {
      ...{ role: 'assistant', content: '' },
      tool_calls: [
        { id: 'c', type: 'function', function: { name: 'look', arguments: `{"path":"${path}"}` } },
      ],
    },
    { role: 'tool', tool_call_id: 'c', content: result },
    { role: 'assistant', content: 'I looked.' },
    user('And?'),
  ]
  const places = new Set<string>()
  for (const list of [past('/attic', 'dust'), past('/cellar', 'dust'), past('/attic', 'gold')]) {
    places.add((await ask(list)).place)
    expect(sent()).toContain(JSON.stringify(list[2]!.content))
    expect(sent().includes('cellar')).toBe(JSON.stringify(list).includes('cellar'))
  }
  expect(places.size).toBe(3)
})

it('an attachment that is edited is stored and sent, on a branch', async () => {
  const { ask, sent, history } = await start()
  const clients: Record<string, string>[] = [{}, { 'x-openwebui-chat-id': 'w1' }]
  for (const headers of clients) {
    const list: MessageLike[] = [user('Hello')]
    list.push((await ask(list, headers)).message, user('What is this?', image('cat')))
    const first = await ask(list, headers)
    list.splice(2, 1, user('What is this?', image('dog')))
    const second = await ask(list, headers)
    expect(second.place).not.toBe(first.place)
    expect(second.place.split('/')[0]).toBe(first.place.split('/')[0])
    list.push(second.message, user('Sure?'))
    expect((await ask(list, headers)).place).toBe(second.place)
    expect(sent()).toContain(dataOf(image('dog')))
    expect(sent()).not.toContain(dataOf(image('cat')))
    // The same in the middle of a list, whose rest is kept.
    const past = list.toSpliced(2, 1, user('What is this?', image('owl'))).slice(0, 5)
    expect((await ask(past, headers)).place.split('/')[0]).toBe(first.place.split('/')[0])
    expect(sent()).toContain(dataOf(image('owl')))
    expect(sent()).not.toContain(dataOf(image('dog')))
    // An attachment that is taken away from the newest message is gone.
    list.splice(2, list.length, user('What is this?'))
    await ask(list, headers)
    expect(sent()).not.toContain('base64')
  }
  expect(await history.conversations()).toHaveLength(2)
})

it.each([
  ['comes back where the client names it', true],
  ['does not come back where it does not', false],
])('what a client leaves out of its past does not split a chat, and %s', async (_, isNamed) => {
  const headers: Record<string, string> = isNamed ? { 'x-openwebui-chat-id': 'w1' } : {}
  const long = `first line\n${'another line\n'.repeat(60)}last line`
  const { ask, sent, history } = await start(({ messages }) =>
    messages.at(-1)?.role === 'tool' || messages.length > 2
      ? 'I looked.'
      : {
          text: 'Let me look.',
          calls: [{ name: 'look', arguments: { b: { d: 1, c: 2 }, a: 'x', empty: null } }],
        },
  )
  const list: MessageLike[] = [user('Look at this.', image('cat'), pdf('one'))]
  const calling = (await ask(list, headers)).message as MessageLike & {
    tool_calls: [{ id: string; function: { arguments: string } }]
  }
  const [call] = calling.tool_calls
  list.push(calling, { role: 'tool', tool_call_id: call.id, content: long })
  const { message, place } = await ask(list, headers)
  list.push(message)
  const withCall = (input: string, content = '') => ({
    ...{ ...calling, content },
    tool_calls: [{ ...call, id: 'other', function: { name: 'look', arguments: input } }],
  })
  const result = (content: string) => ({ role: 'tool', tool_call_id: 'other', content })
  const past = [user('Look at this.'), withCall('{}'), result(''), message]
  const copies: readonly (readonly [number, object])[] = [
    [0, user('Look at this.')],
    [0, user('Look at this.', image('cat'))],
    [0, user('Look at this.\n[image]\n(file omitted)')],
    [0, user('Look at this.', { type: 'text', text: '[Referenced image in conversation]' })],
    [1, withCall('{}')],
    [1, withCall('{ "a": "x",\n "b": {"c": 2, "d": 1} }', 'Let me look.')],
    [2, result('[Old tool result content cleared]')],
    [2, result(`${long.slice(0, 100)}... [truncated]`)],
    [2, result(`${long.slice(0, 100)}\n[600 characters omitted]\n${long.slice(-50)}`)],
    [2, result(long.slice(0, 300))],
  ]
  for (const [at, copy] of copies) {
    for (const base of [list, past]) {
      const given = base.toSpliced(at, 1, copy as MessageLike)
      const said = `Question ${copies.findIndex(one => one[1] === copy)} ${base === past}`
      const next = await ask([...given, user(said)], headers)
      expect([copy, next.place.split('/')[0]]).toEqual([copy, place.split('/')[0]])
      for (const kept of [dataOf(image('cat')), dataOf(pdf('one')), 'last line'])
        expect([copy, kept, sent().includes(kept)]).toEqual([
          ...[copy, kept],
          isNamed || JSON.stringify(given).includes(kept),
        ])
      if (isNamed) expect(sent()).toContain('\\"a\\":\\"x\\"')
    }
  }
  expect(await history.conversations()).toHaveLength(1)
})

it('a list that left out what tells two chats apart becomes a new one', async () => {
  const { ask, sent, why } = await start()
  for (const name of ['cat', 'dog']) await ask([user('What is this?', image(name))])
  await ask([user('What is this?'), { role: 'assistant', content: 'I see.' }, user('And now?')])
  expect(why()).toBe('what its client left out would tell apart 2 threads')
  expect(sent()).not.toContain('base64')
})

it('one exchange and the new message, sent alone, go on with their chat', async () => {
  let count = 0
  const { ask, history, why } = await start(() => `Answer ${++count}.`)
  const chats = ['red', 'blue'].map(() => [] as MessageLike[])
  for (let turn = 1; turn <= 8; turn++)
    for (const [at, list] of chats.entries()) {
      list.push(user(turn % 3 === 0 ? 'continue' : `Question ${turn} of ${at}`))
      list.push((await ask(list.slice(-3))).message)
    }
  expect(await history.conversations()).toHaveLength(2)
  expect(why()).toContain('the messages that its client kept')
})

it('one exchange that two chats end with tells nothing: a new one', async () => {
  const { ask, why, sent } = await start(() => 'Done.')
  for (const room of ['kitchen', 'garden'])
    for (const list of [
      [user(`In the ${room}`)],
      [user(`In the ${room}`), { role: 'assistant', content: 'Done.' }, user('Light on')],
    ])
      await ask(list)
  await ask([user('Light on'), { role: 'assistant', content: 'Done.' }, user('And off')])
  expect(why()).toBe('the messages that its client kept fit 2 conversations')
  expect(sent()).not.toMatch(/kitchen|garden/)
})

it('letters may be composed or not, and the log keeps them as they came', async () => {
  const { ask, history } = await start(() => 'Olá, você está aí.'.normalize('NFC'))
  const list: MessageLike[] = []
  for (const text of ['Não é?', 'Où ça?', 'Grüße']) {
    list.push(user(text.normalize('NFD')))
    const { message } = await ask(
      list.map((one, at) =>
        at % 4 === 0 ? one : { ...one, content: String(one.content).normalize('NFD') },
      ),
    )
    list.push(message)
  }
  const [info, ...others] = await history.conversations()
  expect(others).toEqual([])
  expect(info!.threads).toHaveLength(1)
  const [first, second] = await history.thread(info!.conversation).messages()
  expect(first!.content).toBe('Não é?'.normalize('NFD'))
  expect(second!.content).toBe('Olá, você está aí.'.normalize('NFC'))
})

it('sessions that begin with the same examples are conversations of their own', async () => {
  const { ask, history, why } = await start()
  const preamble = [user('This is the folder.'), { role: 'assistant', content: 'Understood.' }]
  await ask([...preamble, user('What is in it?')])
  await ask([...preamble, user('How large is it?')])
  expect(why()).toBe('others began alike, with what their client brought along')
  await ask([...preamble, user('What is in it?')])
  expect(await history.conversations()).toHaveLength(3)
})

it('says that a client has compacted its messages only where they say so', async () => {
  const { ask, why } = await start()
  const headers = { 'x-claude-code-session-id': 's1' }
  await ask([user('a')], headers)
  await ask([user('b')], headers)
  expect(why()).toBe(
    'its client names this conversation, but sends other messages; named by the header x-claude-code-session-id',
  )
  await ask(
    [
      user(
        'This session is being continued from a previous conversation that ran out of context. …',
      ),
    ],
    headers,
  )
  expect(why()).toContain('it has compacted them')
})

it('results reach the model where the client gives calls ids of its own', async () => {
  const { ask, sent, history } = await start(({ messages }) =>
    messages.at(-1)?.role === 'tool'
      ? 'I looked.'
      : { calls: [{ name: 'look' }, { name: 'look' }] },
  )
  const list: MessageLike[] = [user('Look.')]
  const { message } = await ask(list)
  const calls = (message.tool_calls as readonly object[]).map((call, at) => ({
    ...call,
    id: `mine_${at}`,
  }))
  list.push({ ...message, tool_calls: calls })
  for (const at of [1, 0])
    list.push({ role: 'tool', tool_call_id: `mine_${at}`, content: `result ${at}` })
  list.push((await ask(list)).message, user('Again.'))
  expect(sent()).toContain('result 0')
  expect(sent()).not.toContain('gave no result')
  await ask(list)
  const [info] = await history.conversations()
  expect(info!.threads).toHaveLength(1)
})
