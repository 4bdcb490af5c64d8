import type { MessageLike } from '@throughline/core/messages'
import { openaiAnswer, startUpstream } from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openaiUpstream } from '../src/upstream/model-servers.ts'

const user = (content: string) => ({ role: 'user', content })
const reply = (content: string) => ({ role: 'assistant', content })

/** A server of one person, whose conversations quote each other, and the last body that reached the model. */
async function start(answer: (newest: string) => string = () => 'The harbour is lovely.') {
  let sent = ''
  const model = await startUpstream(({ path, text, body }) => {
    if (!path.endsWith('/chat/completions')) return { status: 404, body: {} }
    sent = text
    return openaiAnswer([
      { content: answer(JSON.stringify((body as { messages: object[] }).messages.at(-1))) },
    ])
  })
  onTestFinished(() => model.close())
  const upstream = openaiUpstream({ url: model.url, window: 32_768 })
  const { url } = await startServer({ upstream, person: 'ada', remember: 'person' })
  async function ask(messages: readonly object[], headers: Readonly<Record<string, string>> = {}) {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'm', messages }),
    })
    expect(response.status).toBe(200)
    const { choices } = (await response.json()) as { choices: [{ message: MessageLike }] }
    return choices[0].message
  }
  /** What the model reads when a new conversation asks for the boat. */
  async function asked(): Promise<string> {
    await ask([user('What is the name of my boat in the harbour?')])
    return sent
  }
  return { ask, asked }
}

const boat = user('My boat in the harbour is called Heron.')
const names: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['unnamed', {}],
  ['by the chat id of Open WebUI', { 'x-openwebui-chat-id': 'w1' }],
  [
    'named, all of the list',
    { 'x-throughline-conversation': 'c', 'x-throughline-history': 'full' },
  ],
]

describe.each(names)('a conversation, %s', (_, headers) => {
  it('is quoted elsewhere, and no more once its client deleted or changed the message', async () => {
    const { ask, asked } = await start()
    const list: object[] = []
    const say = async (...messages: readonly object[]) => {
      list.push(...messages)
      list.push(await ask(list, headers))
    }
    await say(user('Good morning.'))
    await say(boat)
    await say(user('I like tea.'))
    expect(await asked()).toContain('Heron')
    const deleted = list.splice(2, 2)
    await say(user('And cake.'))
    expect(await asked()).not.toContain('Heron')
    // Brought back, it is quoted again.
    list.splice(2, 0, ...deleted)
    await say(user('And bread.'))
    expect(await asked()).toContain('Heron')
    list[2] = user('My boat in the harbour is called Gull.')
    await say(user('And butter.'))
    const after = await asked()
    expect(after).not.toContain('Heron')
  })

  it('is not quoted with what was edited or taken back at its end', async () => {
    const { ask, asked } = await start()
    const first = await ask([user('Good morning.')], headers)
    const before = [user('Good morning.'), first]
    await ask([...before, boat], headers)
    expect(await asked()).toContain('Heron')
    await ask([...before, user('My boat in the harbour is called Gull.')], headers)
    const after = await asked()
    expect(after).toContain('Gull')
    expect(after).not.toContain('Heron')
  })
})

it('quotes nothing of an answer that was redacted', async () => {
  const { ask, asked } = await start(text =>
    text.includes('Where is it?') ? 'Your boat in the harbour is called Heron.' : 'I see.',
  )
  const list: object[] = []
  for (const text of ['Good morning.', 'Where is it?', 'Fine.']) {
    list.push(user(text))
    list.push(await ask(list))
  }
  expect(await asked()).toContain('Heron')
  list[3] = reply('[removed]')
  await ask([...list, user('Thanks.')])
  expect(await asked()).not.toContain('Heron')
})
