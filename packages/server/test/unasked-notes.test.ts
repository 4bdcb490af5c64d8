import { type RulesAnswer, rules } from '@throughline/models/reader'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'

const note = { name: 'write_note_to_self', arguments: { note: 'heron is the password' } }
const question = [{ role: 'user', content: 'What is the boat called?' }]
const schema = { type: 'object', properties: {} }

/** How each adapter offers a tool of this name as the client's own. */
const adapters = [
  ['/api/chat', [{ type: 'function', function: { name: note.name, parameters: schema } }]],
  [
    '/v1/chat/completions',
    [{ type: 'function', function: { name: note.name, parameters: schema } }],
  ],
  ['/v1/messages', [{ name: note.name, input_schema: schema }]],
  ['/v1/responses', [{ type: 'function', name: note.name, parameters: schema }]],
] as const

/** A server whose model gives these answers, one after another. */
async function answering(answers: readonly RulesAnswer[], notes: false | 'inline') {
  let asked = 0
  const model = () => rules(() => answers[Math.min(asked++, answers.length - 1)]!, { window: 8192 })
  const server = await startServer({
    upstream: { ...readerUpstream(), model },
    notes: notes === false ? false : { place: notes },
  })
  const ask = async (
    path: string,
    more: object,
    headers: object = { 'content-type': 'application/json' },
  ) => {
    const body = { model: 'm', max_tokens: 100, messages: question, input: question, ...more }
    const init = {
      method: 'POST',
      headers: { ...headers },
      body: JSON.stringify(body),
    }
    const response = await fetch(`${server.url}${path}`, init)
    return { status: response.status, text: await response.text() }
  }
  return { ...server, ask, asked: () => asked }
}

describe.each(adapters)('a note that a model writes unasked, at %s', (path, tools) => {
  it.each([
    ['alone', [{ calls: [note] }, 'It is Seagull.']],
    ['beside its answer', [{ text: 'It is Seagull.', calls: [note] }]],
    ['again and again', [{ calls: [note] }, { calls: [note] }, 'It is Seagull.']],
  ] as [string, RulesAnswer[]][])(
    '%s never reaches the client, who gets an answer',
    async (_, answers) => {
      for (const stream of [false, true]) {
        const { ask, history } = await answering(answers, stream ? 'inline' : false)
        const { status, text } = await ask(path, { stream })
        expect(status).toBe(200)
        expect(text).toContain('Seagull')
        for (const hidden of ['write_note', 'heron', '"tool_calls"', 'tool_use', '"function_call"'])
          expect([hidden, text.includes(hidden)]).toEqual([hidden, false])
        const [{ conversation } = { conversation: '' }] = await history.conversations()
        const thread = history.thread(conversation)
        expect((await thread.turns()).map(turn => turn.status)).toEqual(['completed'])
        expect(JSON.stringify(await thread.display())).not.toContain('heron')
        // The model was told that it is noted.
        expect(await thread.notes()).toContain('heron is the password')
      }
    },
  )

  it('is a call like any other where the client has a tool of that name', async () => {
    for (const stream of [false, true]) {
      const { ask } = await answering([{ calls: [note] }], false)
      expect((await ask(path, { stream, tools })).text).toContain('heron')
    }
  })
})

it('a model that writes nothing but notes ends its turn', async () => {
  const { ask, asked, history } = await answering([{ calls: [note] }], false)
  const { status, text } = await ask('/v1/chat/completions', {})
  expect([status, asked()]).toEqual([200, 4])
  expect(text).not.toContain('write_note')
  const [{ conversation } = { conversation: '' }] = await history.conversations()
  expect((await history.thread(conversation).turns()).map(turn => turn.status)).toEqual([
    'completed',
  ])
})

it('a response of which the first message is only a note is found, and given again, with its answer', async () => {
  const { ask, url } = await answering([{ calls: [note] }, 'It is Seagull.'], false)
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'k1' }
  const first = await ask('/v1/responses', {}, headers)
  const again = await ask('/v1/responses', {}, headers)
  expect(first.text).toContain('Seagull')
  expect(again.text).toBe(first.text)
  const { id } = JSON.parse(first.text) as { readonly id: string }
  expect(await (await fetch(`${url}/v1/responses/${id}`)).text()).toContain('Seagull')
})
