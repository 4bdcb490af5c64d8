import { type RulesAnswer, type RulesRequest, rules } from '@throughline/models/reader'
import { rawStores } from '@throughline/test-tools/raw-stores'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'

interface Message {
  readonly role: string
  readonly content: string
  readonly tool_calls?: readonly { readonly id: string; readonly function: object }[]
  readonly tool_call_id?: string
}

const secret = 'zanzibar quillfeather'
const user = (content: string): Message => ({ role: 'user', content })
const look = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } }
const task = { type: 'function', function: { name: 'task', parameters: { type: 'object' } } }
const question = user(`The password of the harbour is ${secret}.`)

describe.each(rawStores())('what was erased, on %s', (_, open) => {
  /** A server whose model calls a tool where it is asked to, and answers the rest in words of its own. */
  async function start() {
    const { store, placesOf } = await open()
    const prompts: string[] = []
    let count = 0
    const rule = ({ messages, tools = [] }: RulesRequest): RulesAnswer => {
      prompts.push(JSON.stringify(messages))
      const last = messages.at(-1)!
      const text = String(last.content)
      const can = (name: string) => last.role === 'user' && tools.some(tool => tool.name === name)
      const place = /read (\d+)/.exec(text)?.[1]
      if (place && can('read_message'))
        return { calls: [{ name: 'read_message', arguments: { place: Number(place) } }] }
      if (can('task')) return { calls: [{ name: 'task', arguments: { prompt: text } }] }
      if (can('look')) return { calls: [{ name: 'look' }] }
      return text.includes('title') ? '{"title": "The zanzibar password"}' : `Answer ${count++}.`
    }
    const upstream = { ...readerUpstream(), model: () => rules(rule, { window: 8192 }) }
    const server = await startServer({ store, upstream, readMessages: true })
    async function post(
      path: string,
      body: object,
      headers: Readonly<Record<string, string>> = {},
    ) {
      const response = await fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ model: 'm', ...body }),
      })
      expect([response.status, path]).toEqual([200, path])
      const place = {
        conversation: response.headers.get('x-throughline-conversation')!,
        branch: response.headers.get('x-throughline-branch')!,
      }
      return { body: (await response.json()) as Record<string, never>, place }
    }
    async function ask(messages: readonly Message[], more: object = {}, headers = {}) {
      const { body, place } = await post('/v1/chat/completions', { messages, ...more }, headers)
      const { choices } = body as unknown as {
        readonly choices: readonly [{ readonly message: Message }]
      }
      return { message: choices[0].message, ...place }
    }
    /** Lays a hand on an entry of a branch, or erases it. */
    async function handle(how: string, conversation: string, seq: number, branch = 'main') {
      const path = how === 'erase' ? '' : `/${how}`
      const response = await fetch(
        `${server.url}/throughline/v1/conversations/${conversation}/entries/${seq}${path}?branch=${branch}`,
        { method: how === 'erase' ? 'DELETE' : 'POST' },
      )
      expect([how, response.status]).toEqual([how, 200])
    }
    async function expectGone() {
      expect(await placesOf('zanzibar')).toEqual([])
      expect(await server.history.search('zanzibar')).toEqual([])
      expect(await server.history.check()).toEqual([])
    }
    return { ...server, store, placesOf, prompts, ask, post, handle, expectGone }
  }

  it('is gone from each branch that answers its turn again, from whichever it is erased', async () => {
    for (const from of [0, 1, 2]) {
      const { ask, handle, expectGone, placesOf, prompts } = await start()
      const first = await ask([user('Hello.')])
      const list = [user('Hello.'), first.message, question]
      const answers = [await ask(list), await ask(list), await ask(list)]
      expect(new Set(answers.map(({ branch }) => branch)).size).toBe(3)
      expect(await placesOf('zanzibar')).not.toEqual([])
      const { conversation, branch } = answers[from]!
      await handle('erase', conversation, 3, branch)
      await expectGone()
      for (const { message, branch: of } of answers) {
        const next = await ask([...list, message, user('What is the password?')])
        expect(next.branch).toBe(of)
        expect(prompts.at(-1)).not.toContain('zanzibar')
      }
    }
  })

  it('is gone where another result of a tool made a branch, and where the turn is answered after it', async () => {
    const { ask, handle, expectGone, prompts } = await start()
    const tools = { tools: [look] }
    const { message: call, conversation } = await ask([question], tools)
    const result = (content: string): Message => ({
      role: 'tool',
      tool_call_id: call.tool_calls![0]!.id,
      content,
    })
    await ask([question, call, result('A heron.')], tools)
    const other = await ask([question, call, result('Two herons.')], tools)
    expect(other.branch).not.toBe('main')
    await handle('erase', conversation, 1)
    await expectGone()
    const again = await ask([question, call, result('No heron.')], tools)
    expect(['main', other.branch]).not.toContain(again.branch)
    expect(prompts.at(-1)).not.toContain('zanzibar')
    await expectGone()
    const edited = await ask([user('Another question.'), call, result('No heron.')], tools)
    expect(prompts.at(-1)).toContain('Another question.')
    expect(edited.conversation).toBeTruthy()
  })

  it('is gone behind a reply that is named inside of a turn', async () => {
    const { post, handle, expectGone } = await start()
    const tools = [{ type: 'function', name: 'look', parameters: { type: 'object' } }]
    const begin = await post('/v1/responses', { input: question.content, tools, store: true })
    const { id, output } = begin.body as unknown as {
      id: string
      output: { type: string; call_id: string }[]
    }
    const call = output.find(({ type }) => type === 'function_call')!.call_id
    const result = (text: string) => ({ type: 'function_call_output', call_id: call, output: text })
    const go = (text: string) =>
      post('/v1/responses', { input: [result(text)], tools, previous_response_id: id, store: true })
    await go('A heron.')
    const other = await go('Two herons.')
    expect(other.place.branch).not.toBe('main')
    await handle('erase', begin.place.conversation, 1)
    await expectGone()
  })

  it('is gone from what read it, and from the thread of the agent that was given it', async () => {
    const { ask, handle, expectGone } = await start()
    const first = await ask([question])
    const list = [question, first.message, user('Please read 1 again.')]
    const read = await ask(list)
    await handle('erase', read.conversation, 1)
    await expectGone()
    const other = await start()
    const call = await other.ask([question], { tools: [task] })
    const agent = await other.ask([question])
    expect(agent.conversation).toBe(call.conversation)
    await other.ask([
      question,
      call.message,
      { role: 'tool', tool_call_id: call.message.tool_calls![0]!.id, content: 'Done.' },
    ])
    await other.handle('erase', call.conversation, 1)
    await other.handle('erase', call.conversation, 2)
    await other.expectGone()
  })

  it('is gone from the title that a model made of it, and from one that is asked for later', async () => {
    for (const named of [
      {},
      { 'x-throughline-conversation': 'trip', 'x-throughline-history': 'full' },
    ]) {
      const { ask, handle, history, expectGone } = await start()
      const first = await ask([question], {}, named)
      const title = [user(`Write a title of this chat as JSON: ${question.content}`)]
      const side = { ...named, 'x-throughline-task': 'title' }
      await ask(title, {}, side)
      await history.describe(first.conversation, { title: 'The zanzibar password' })
      await handle('erase', first.conversation, 1)
      await expectGone()
      await ask(title, {}, side)
      await ask([question, first.message, user('Write a title of this chat as JSON.')], {}, side)
      const [info] = await history.conversations({ only: first.conversation })
      expect(info!.title).toBeUndefined()
      await expect.poll(() => expectGone().then(() => 'gone', String)).toBe('gone')
    }
  })

  it('is gone where a client words it otherwise', async () => {
    const { ask, handle, expectGone, history, placesOf } = await start()
    const first = await ask([user('Hello.')])
    const list = [user('Hello.'), first.message, user('And now?')]
    await ask([
      user('Hello.'),
      { ...first.message, content: `${first.message.content}` },
      user('And now?'),
    ])
    const thread = history.thread(first.conversation)
    const begun = await thread.begin(user('Once more?'), {
      overlay: {
        versions: [
          [2, { role: 'assistant', content: `I said ${secret}.` }],
          [1, user('Hello, Heron.')],
        ],
        gone: [[3, 3, 'deleted']],
      },
    })
    if (begun.kind === 'begun') await begun.turn.complete({ role: 'assistant', content: 'Well.' })
    expect(await placesOf('zanzibar')).not.toEqual([])
    await handle('erase', first.conversation, 2)
    await expectGone()
    const state = await thread.overlay()
    expect([...state!.versions.keys()]).toEqual([1])
    expect([...state!.absent.keys()]).toEqual([3])
    expect((await thread.messages()).at(-3)).toMatchObject({ content: 'Once more?' })
    // Erasing the message that brought the overlay leaves what it says of others.
    await handle('erase', first.conversation, 5)
    expect([...(await thread.overlay())!.absent.keys()]).toEqual([3])
    expect(list).toHaveLength(3)
  })

  it('was pinned or hidden: so it is on a branch that answers its turn again', async () => {
    const { ask, handle, prompts, history } = await start()
    const first = await ask([user('Hello.')])
    const list = [user('Hello.'), first.message, question]
    const { conversation } = await ask(list)
    await handle('pin', conversation, 3)
    const { branch, message } = await ask(list)
    expect(branch).not.toBe('main')
    expect((await history.thread(conversation, { branch }).hands()).pinned).toEqual([
      { first: 3, last: 3 },
    ])
    await handle('hide', conversation, 3, branch)
    await ask([...list, message, user('What is the password?')])
    expect(prompts.at(-1)).not.toContain('zanzibar')
    const again = await ask([...list, message, user('What is the password?')])
    expect(again.branch).not.toBe(branch)
    expect(prompts.at(-1)).not.toContain('zanzibar')
  })

  it('was hidden: so is what read it', async () => {
    const { ask, handle, prompts } = await start()
    const first = await ask([question])
    const list = [question, first.message, user('Please read 1 again.')]
    const { message, conversation } = await ask(list)
    await handle('hide', conversation, 1)
    await ask([...list, message, user('What is the password?')])
    expect(prompts.at(-1)).not.toContain('zanzibar')
  })
})
