import type { MessageLike } from '@throughline/core/messages'
import type { ModelPart } from '@throughline/models/model'
import { type RulesAnswer, type RulesRequest, rules } from '@throughline/models/reader'
import { someStores } from '@throughline/test-tools/every-store'
import { isLong } from '@throughline/test-tools/is-long'
import { type StartedServer, startServer } from '@throughline/test-tools/start-server'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { createKeys } from '../src/auth/create-keys.ts'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'
import type { Upstream } from '../src/upstream/upstream.ts'

/** An upstream whose model follows a rule. */
const ruled = (rule: (request: RulesRequest) => RulesAnswer | Promise<RulesAnswer>): Upstream => ({
  ...readerUpstream(),
  model: () => rules(rule, { window: 8192 }),
})

/** An upstream whose model says given parts. */
const speaking = (
  partsFor: (messages: readonly MessageLike[]) => readonly ModelPart[],
): Upstream => ({
  ...readerUpstream(),
  model: name => ({
    name,
    window: async () => 8192,
    async *stream({ messages }) {
      yield* partsFor(messages)
    },
  }),
})

const text = (text: string): ModelPart => ({ type: 'text-delta', text })
const thinking = (text: string): ModelPart => ({ type: 'thinking-delta', text })
const end = (reason: 'stop' | 'length' | 'tool-calls'): ModelPart => ({
  type: 'end',
  reason,
  usage: { promptTokens: 11, replyTokens: 7, cachedTokens: 3 },
})

/** Answers with the number of the call, all that the user said, and the last message. */
function echo() {
  let count = 0
  return ruled(({ messages }) => {
    const said = messages
      .filter(({ role }) => role === 'user')
      .map(({ content }) => String(content))
    return `Answer ${++count} after ${said.join(', ')}`
  })
}

const clientOf = ({ url }: StartedServer) => new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none' })
const contentsOf = (messages: readonly MessageLike[]) => messages.map(({ content }) => content)

async function linesOf({ history }: StartedServer) {
  const lines: unknown[][] = []
  for (const { conversation, threads } of await history.conversations())
    for (const { actor, branch } of threads)
      lines.push(contentsOf(await history.thread(conversation, { actor, branch }).messages()))
  return lines
}

const look = {
  type: 'function' as const,
  name: 'look',
  description: 'Looks.',
  parameters: { type: 'object', properties: { at: { type: 'string' } } },
  strict: false,
}

/** Calls the tool once for each question, then says what it saw. */
const looking = () =>
  speaking(messages => {
    const last = messages.at(-1)!
    if (last.role !== 'user')
      return [thinking('I have seen it.'), text(`Seen: ${String(last.content)}`), end('stop')]
    return [
      text('I look.'),
      { type: 'tool-call', id: `call_${messages.length}`, name: 'look', arguments: '{"at":"sky"}' },
      end('tool-calls'),
    ]
  })

describe.each(await someStores())('the Responses API on %s', (_, create) => {
  const start = (upstream: Upstream = echo()) => startServer({ store: create(), upstream })

  it('goes on from a response, in one conversation', async () => {
    const server = await start()
    const client = clientOf(server)
    const first = await client.responses.create({ model: 'm', input: 'a' })
    const second = await client.responses.create({
      model: 'm',
      input: 'b',
      previous_response_id: first.id,
    })
    expect(second.output_text).toBe('Answer 2 after a, b')
    expect(second.previous_response_id).toBe(first.id)
    expect(await linesOf(server)).toEqual([['a', 'Answer 1 after a', 'b', 'Answer 2 after a, b']])
  })

  it('goes on from exactly the response that is named, on a branch if more was said since', async () => {
    const server = await start()
    const client = clientOf(server)
    const first = await client.responses.create({ model: 'm', input: 'a' })
    await client.responses.create({ model: 'm', input: 'b', previous_response_id: first.id })
    const other = await client.responses.create({
      model: 'm',
      input: 'c',
      previous_response_id: first.id,
    })
    expect(other.output_text).toBe('Answer 3 after a, c')
    const more = await client.responses.create({
      model: 'm',
      input: 'd',
      previous_response_id: other.id,
    })
    expect(more.output_text).toBe('Answer 4 after a, c, d')
    expect(await server.history.conversations()).toHaveLength(1)
    const lines = await linesOf(server)
    expect(lines).toHaveLength(2)
    expect(lines).toContainEqual(['a', 'Answer 1 after a', 'b', 'Answer 2 after a, b'])
  })

  it('gives a response back as it was sent, whole or streamed', async () => {
    const server = await start(looking())
    const client = clientOf(server)
    const asked = {
      model: 'm',
      input: 'What do you see?',
      instructions: 'Be short.',
      metadata: { place: 'roof' },
      tools: [look],
    }
    const first = await client.responses.create(asked)
    const { output_text: _, ...sent } = first
    expect(await plain(client.responses.retrieve(first.id))).toEqual(sent)
    const call = first.output.find(item => item.type === 'function_call')!
    const stream = await client.responses.create({
      ...asked,
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: call.call_id, output: 'a kite' }],
      stream: true,
    })
    let completed: OpenAI.Responses.Response | undefined
    for await (const event of stream)
      if (event.type === 'response.completed') completed = event.response
    expect(completed!.output.map(({ type }) => type)).toEqual(['reasoning', 'message'])
    expect(await plain(client.responses.retrieve(completed!.id))).toEqual(completed)
    expect(completed!.usage).toMatchObject({ input_tokens: 11, output_tokens: 7, total_tokens: 18 })
  })

  it.each<[string, readonly ModelPart[]]>([
    [
      'with thoughts in between',
      [text('a'), thinking('b'), text('c'), thinking('d'), text('e'), end('stop')],
    ],
    ['that was cut', [thinking('a'), text('b'), end('length')]],
    ['of nothing that can be seen', [thinking('a'), end('stop')]],
    ['of nothing', [end('stop')]],
  ])('gives back a reply %s', async (_, parts) => {
    const client = clientOf(await start(speaking(() => parts)))
    const whole = await client.responses.create({ model: 'm', input: 'x' })
    expect(await plain(client.responses.retrieve(whole.id))).toEqual(
      await plain(Promise.resolve(whole)),
    )
    const stream = await client.responses.create({ model: 'm', input: 'x', stream: true })
    let last: OpenAI.Responses.Response | undefined
    for await (const event of stream) if ('response' in event) last = event.response
    expect(await plain(client.responses.retrieve(last!.id))).toEqual(last)
    expect(['completed', 'incomplete']).toContain(last!.status)
  })

  it('goes on with a turn whose tools the client runs, and again from the same call on a branch', async () => {
    const server = await start(looking())
    const client = clientOf(server)
    const first = await client.responses.create({ model: 'm', input: 'Look!', tools: [look] })
    const call = first.output.find(item => item.type === 'function_call')!
    const answerWith = (output: string) =>
      client.responses.create({
        model: 'm',
        tools: [look],
        previous_response_id: first.id,
        input: [{ type: 'function_call_output', call_id: call.call_id, output }],
      })
    expect((await answerWith('a kite')).output_text).toBe('Seen: a kite')
    expect((await answerWith('a cloud')).output_text).toBe('Seen: a cloud')
    const [conversation, ...others] = await server.history.conversations()
    expect(others).toEqual([])
    const main = server.history.thread(conversation!.conversation)
    expect((await main.turns()).map(({ status }) => status)).toEqual(['completed'])
    const lines = await linesOf(server)
    expect(lines).toContainEqual(['Look!', 'I look.', 'a kite', 'Seen: a kite'])
    expect(lines).toContainEqual(['Look!', 'I look.', 'a cloud', 'Seen: a cloud'])
  })

  it('lists the input of a response in pages', async () => {
    const server = await start(looking())
    const client = clientOf(server)
    const first = await client.responses.create({
      model: 'm',
      input: [
        { role: 'user', content: 'one' },
        { role: 'assistant', content: 'two' },
        { role: 'user', content: [{ type: 'input_text', text: 'three' }] },
      ],
      tools: [look],
    })
    const all: OpenAI.Responses.ResponseItem[] = []
    for await (const item of client.responses.inputItems.list(first.id, { order: 'asc', limit: 1 }))
      all.push(item)
    expect(all).toMatchObject([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'one' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'two' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'three' }] },
    ])
    const newest = await client.responses.inputItems.list(first.id)
    expect(newest.data).toEqual(all.toReversed())
    const call = first.output.find(item => item.type === 'function_call')!
    const second = await client.responses.create({
      model: 'm',
      tools: [look],
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: call.call_id, output: 'a kite' }],
    })
    const { data } = await client.responses.inputItems.list(second.id)
    expect(data).toMatchObject([
      { type: 'function_call_output', call_id: call.call_id, output: 'a kite' },
    ])
  })

  it('forgets a response that its client deletes, and says so in OpenAI’s words', async () => {
    const server = await start()
    const client = clientOf(server)
    const first = await client.responses.create({ model: 'm', input: 'a' })
    await client.responses.delete(first.id)
    for (const id of [first.id, 'resp_none', 'x'.repeat(5000)]) {
      await expect(client.responses.retrieve(id)).rejects.toThrow(OpenAI.NotFoundError)
      await expect(client.responses.delete(id)).rejects.toThrow(OpenAI.NotFoundError)
      await expect(client.responses.inputItems.list(id)).rejects.toThrow(OpenAI.NotFoundError)
      await expect(
        client.responses.create({ model: 'm', input: 'b', previous_response_id: id }),
      ).rejects.toMatchObject({
        status: 404,
        code: 'previous_response_not_found',
        param: 'previous_response_id',
      })
    }
  })

  it('keeps no response that must not be stored, but the conversation', async () => {
    const server = await start()
    const client = clientOf(server)
    const first = await client.responses.create({ model: 'm', input: 'a', store: false })
    await expect(client.responses.retrieve(first.id)).rejects.toThrow(OpenAI.NotFoundError)
    const second = await client.responses.create({
      model: 'm',
      store: false,
      input: [
        { role: 'user', content: 'a' },
        ...(first.output as []),
        { role: 'user', content: 'b' },
      ],
    })
    expect(second.output_text).toBe('Answer 2 after a, b')
    expect(await linesOf(server)).toEqual([['a', 'Answer 1 after a', 'b', 'Answer 2 after a, b']])
  })

  it('resolves items that a request only names', async () => {
    const server = await start()
    const client = clientOf(server)
    const first = await client.responses.create({ model: 'm', input: 'a' })
    const naming = (id: string) =>
      client.responses.create({
        model: 'm',
        input: [
          { role: 'user', content: 'a' },
          { type: 'item_reference', id },
          { role: 'user', content: 'b' },
        ],
      })
    expect((await naming(first.output[0]!.id!)).output_text).toBe('Answer 2 after a, b')
    expect(await linesOf(server)).toEqual([['a', 'Answer 1 after a', 'b', 'Answer 2 after a, b']])
    await expect(naming('msg_none_0')).rejects.toMatchObject({ status: 404, param: 'input' })
  })

  it('recognises a client that goes over from naming responses to sending everything', async () => {
    const server = await start()
    const client = clientOf(server)
    const list: OpenAI.Responses.ResponseInput = []
    let previous: string | undefined
    for (const text of ['a', 'b', 'c']) {
      const { id, output_text } = await client.responses.create({
        model: 'm',
        input: text,
        ...(previous !== undefined && { previous_response_id: previous }),
      })
      previous = id
      list.push({ role: 'user', content: text }, { role: 'assistant', content: output_text })
    }
    list.push({ role: 'user', content: 'd' })
    const { output_text } = await client.responses.create({ model: 'm', input: list })
    expect(output_text).toBe('Answer 4 after a, b, c, d')
    expect(await linesOf(server)).toHaveLength(1)
  })

  it('gives a repeated request the same response, once', async () => {
    const server = await start()
    const client = clientOf(server)
    const first = await client.responses.create({ model: 'm', input: 'a' })
    const body = { model: 'm', input: 'b', previous_response_id: first.id }
    const second = await client.responses.create(body)
    const again = await client.responses.create(body, {
      headers: { 'x-stainless-retry-count': '1' },
    })
    expect(again.id).toBe(second.id)
    expect(again.output).toEqual(second.output)
    expect(await linesOf(server)).toEqual([['a', 'Answer 1 after a', 'b', 'Answer 2 after a, b']])
  })

  it('keeps conversations that clients make, with their items and metadata', async () => {
    const server = await start()
    const client = clientOf(server)
    const made = await client.conversations.create({
      metadata: { topic: 'demo' },
      items: [{ type: 'message', role: 'user', content: 'before' }],
    })
    expect(made).toMatchObject({ object: 'conversation', metadata: { topic: 'demo' } })
    const answer = await client.responses.create({ model: 'm', input: 'a', conversation: made.id })
    expect(answer).toMatchObject({
      output_text: 'Answer 1 after before, a',
      conversation: { id: made.id },
    })
    await client.conversations.items.create(made.id, {
      items: [{ type: 'message', role: 'developer', content: 'Be kind.' }],
    })
    const items: OpenAI.Conversations.ConversationItem[] = []
    for await (const item of client.conversations.items.list(made.id, { order: 'asc', limit: 2 }))
      items.push(item)
    expect(items).toMatchObject([
      { role: 'user', content: [{ text: 'before' }] },
      { role: 'user', content: [{ text: 'a' }] },
      answer.output[0],
      { role: 'system', content: [{ text: 'Be kind.' }] },
    ])
    const one = await client.conversations.items.retrieve(answer.output[0]!.id!, {
      conversation_id: made.id,
    })
    expect(one).toEqual(answer.output[0])
    const next = await client.responses.create({
      model: 'm',
      input: 'b',
      conversation: { id: made.id },
    })
    expect(next.output_text).toBe('Answer 2 after before, a, b')
    const updated = await client.conversations.update(made.id, { metadata: { topic: 'other' } })
    expect(updated.metadata).toEqual({ topic: 'other' })
    expect(await client.conversations.retrieve(made.id)).toEqual(updated)
    await expect(
      client.conversations.items.delete(answer.output[0]!.id!, { conversation_id: made.id }),
    ).rejects.toThrow(OpenAI.BadRequestError)
    expect(await client.conversations.delete(made.id)).toMatchObject({ deleted: true })
    await expect(client.conversations.retrieve(made.id)).rejects.toThrow(OpenAI.NotFoundError)
    await expect(
      client.responses.create({ model: 'm', input: 'c', conversation: made.id }),
    ).rejects.toThrow(OpenAI.NotFoundError)
    await expect(client.responses.retrieve(answer.id)).rejects.toThrow(OpenAI.NotFoundError)
  })

  it('refuses what it cannot do, with a reason', async () => {
    const server = await start()
    const client = clientOf(server)
    const { id } = await client.responses.create({ model: 'm', input: 'a' })
    const both = { previous_response_id: id, conversation: 'kitchen' }
    const refused = [
      () => client.responses.cancel(id),
      () => client.responses.create({ model: 'm', input: 'b', ...both }),
      () => client.responses.create({ model: 'm', input: 'b', background: true }),
      () => client.responses.inputItems.list(id, { limit: 0 }),
      () => client.responses.inputItems.list(id, { after: 'msg_none' }),
    ]
    for (const ask of refused) await expect(ask()).rejects.toThrow(OpenAI.BadRequestError)
    await expect(client.responses.cancel('resp_none')).rejects.toThrow(OpenAI.NotFoundError)
    await expect(
      client.responses.create({ model: 'm', input: 'b', conversation: 'conv_none' }),
    ).rejects.toMatchObject({ status: 404, param: 'conversation' })
    expect(await linesOf(server)).toEqual([['a', 'Answer 1 after a']])
  })

  it('does not carry instructions over', async () => {
    const systems: unknown[] = []
    const server = await start(
      ruled(({ messages }) => {
        systems.push(messages.filter(({ role }) => role === 'system').map(({ content }) => content))
        return 'Yes.'
      }),
    )
    const client = clientOf(server)
    const { id } = await client.responses.create({
      model: 'm',
      input: 'a',
      instructions: 'Be short.',
    })
    await client.responses.create({ model: 'm', input: 'b', previous_response_id: id })
    expect(systems).toEqual([['Be short.'], []])
  })

  it('takes many requests that go on from one response at once: each has a line of its own', async () => {
    const server = await start()
    const client = clientOf(server)
    const { id } = await client.responses.create({ model: 'm', input: 'a' })
    const texts = ['b', 'c', 'd', 'e']
    const answers = await Promise.all(
      texts.map(input => client.responses.create({ model: 'm', input, previous_response_id: id })),
    )
    for (const [at, { output_text }] of answers.entries())
      expect(output_text).toMatch(new RegExp(` after a, ${texts[at]}$`))
    const lines = await linesOf(server)
    expect(lines.map(line => line[2]).sort()).toEqual(texts)
    expect(await server.history.conversations()).toHaveLength(1)
  })

  it('shows a tenant no response of another', async () => {
    const store = create()
    const server = await startServer({ store, upstream: echo(), requireKeys: true })
    const keys = createKeys(store)
    const clientFor = async (tenant: string) => {
      const { key } = await keys.create({ name: tenant, tenant })
      return new OpenAI({ baseURL: `${server.url}/v1`, apiKey: key })
    }
    const [red, blue] = [await clientFor('red'), await clientFor('blue')]
    const { id, output } = await red.responses.create({ model: 'm', input: 'a' })
    const conversation = await red.conversations.create()
    const refused = [
      () => blue.responses.retrieve(id),
      () => blue.responses.delete(id),
      () => blue.responses.cancel(id),
      () => blue.responses.inputItems.list(id),
      () => blue.responses.inputTokens.count({ input: 'b', previous_response_id: id }),
      () => blue.responses.create({ model: 'm', input: 'b', previous_response_id: id }),
      () => blue.responses.create({ model: 'm', input: 'b', conversation: conversation.id }),
      () =>
        blue.responses.create({
          model: 'm',
          input: [{ type: 'item_reference', id: output[0]!.id! }],
        }),
      () => blue.conversations.retrieve(conversation.id),
      () => blue.conversations.update(conversation.id, { metadata: {} }),
      () => blue.conversations.items.list(conversation.id),
      () => blue.conversations.delete(conversation.id),
    ]
    for (const ask of refused) await expect(ask()).rejects.toThrow(OpenAI.NotFoundError)
    expect((await red.responses.retrieve(id)).id).toBe(id)
  })

  it('makes an empty conversation', async () => {
    const server = await start()
    const client = clientOf(server)
    const { id } = await client.conversations.create()
    expect((await client.conversations.items.list(id)).data).toEqual([])
    const { output_text } = await client.responses.create({
      model: 'm',
      input: 'a',
      conversation: id,
    })
    expect(output_text).toBe('Answer 1 after a')
  })

  it('finds no conversation of other clients by its name', async () => {
    const server = await start()
    const client = clientOf(server)
    await client.responses.create({ model: 'm', input: 'a', conversation: 'kitchen' })
    await expect(client.conversations.retrieve('kitchen')).rejects.toThrow(OpenAI.NotFoundError)
    await expect(client.conversations.delete('kitchen')).rejects.toThrow(OpenAI.NotFoundError)
    await expect(client.conversations.items.list('kitchen')).rejects.toThrow(OpenAI.NotFoundError)
    expect((await server.history.conversations()).map(({ conversation }) => conversation)).toEqual([
      'kitchen',
    ])
  })

  const [turns, window] = isLong ? [60, 4096] : [30, 2048]
  if (!isLong) console.info('Skipped: responses over 60 turns, only in the long run')
  it(`still knows turn 1 after ${turns} turns in a window of ${window}`, async () => {
    const server = await start(readerUpstream({ window }))
    const client = clientOf(server)
    let previous: string | undefined
    for (let turn = 1; turn <= turns; turn++) {
      const input =
        turn === 1
          ? 'The boat is called Seagull.'
          : `Note ${turn}: we also talked about the weather, the garden, the neighbours and number ${turn}, at some length, as people do, and then about what the others had said of it.`
      const body = {
        model: 'reader',
        input,
        ...(previous !== undefined && { previous_response_id: previous }),
      }
      const { id } = await client.responses.create(body)
      previous = id
    }
    const stream = client.responses.stream({
      model: 'reader',
      input: 'What is the boat called?',
      previous_response_id: previous!,
    })
    expect((await stream.finalResponse()).output_text).toContain('Seagull')
    const [conversation, ...others] = await server.history.conversations()
    expect(others).toEqual([])
    expect(conversation!.threads).toMatchObject([{ branch: 'main', head: 2 * turns + 2 }])
  })
})

/** What came over the wire, without what the library adds to it. */
async function plain(response: Promise<OpenAI.Responses.Response>): Promise<unknown> {
  const { output_text: _, ...rest } = await response
  return rest
}
