import { rules } from '@throughline/models/reader'
import { startServer } from '@throughline/test-tools/start-server'
import { expect, it } from 'vitest'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'

const old = { role: 'system', content: 'Old rule.' }
const [asked, answered, now] = [
  { role: 'user', content: 'a' },
  { role: 'assistant', content: 'Answer a' },
  { role: 'user', content: 'b' },
]

/** A server whose log has a conversation with a system prompt of its own, as imports have. */
async function serve() {
  const prompts: string[][] = []
  const model = rules(
    ({ messages }) => {
      prompts.push(messages.map(({ role, content }) => `${role}: ${content}`))
      return 'Fine.'
    },
    { window: 8192 },
  )
  const { url, history } = await startServer({
    upstream: { ...readerUpstream(), model: () => model },
  })
  await history.thread('old').seed(old, asked, answered)
  const ask = async (messages: readonly object[], headers: Record<string, string>) => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model: 'm', messages }),
    })
    expect([response.status, response.headers.get('x-throughline-conversation')]).toEqual([
      200,
      'old',
    ])
    await response.text()
    return prompts.at(-1)
  }
  return { ask, history }
}

const named = { 'x-throughline-conversation': 'old' }
const own = { role: 'system', content: 'New rule.' }

it.each([
  ['a whole list with a prompt of its own', [own, asked, answered, now], named],
  ['a whole list without a prompt', [asked, answered, now], named],
  ['what is new, with a prompt of its own', [own, now], named],
  ['what is new, without a prompt', [now], named],
])(
  'the system prompt of an imported conversation is not sent beside %s',
  async (_, messages, headers) => {
    const { ask, history } = await serve()
    const prompt = messages.includes(own) ? ['system: New rule.'] : []
    const first = [...prompt, 'user: a', 'assistant: Answer a', 'user: b']
    expect(await ask(messages, headers)).toEqual(first)
    const thread = history.thread('old')
    const [call] = await thread.calls()
    expect((await thread.replay(call!)).map(({ content }) => content)).toEqual(
      first.map(line => line.slice(line.indexOf(' ') + 1)),
    )
    const why = { rule: 'request', why: 'a system message of an earlier request' }
    expect(await thread.why(1)).toMatchObject({ fate: 'omitted', ...why })
    // The next request sends the same, with what was said.
    const next = [
      ...messages,
      { role: 'assistant', content: 'Fine.' },
      { role: 'user', content: 'c' },
    ]
    const second = messages.includes(asked) ? next : [...prompt.map(() => own), next.at(-1)!]
    expect(await ask(second, headers)).toEqual([...first, 'assistant: Fine.', 'user: c'])
  },
)
