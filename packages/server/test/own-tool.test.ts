import { type RulesAnswer, type RulesRequest, rules } from '@throughline/models/reader'
import { someStores } from '@throughline/test-tools/every-store'
import { openaiAnswer, startUpstream } from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openaiUpstream } from '../src/upstream/model-servers.ts'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'

interface Message {
  readonly role: string
  readonly content: string
  readonly tool_calls?: readonly {
    readonly id: string
    readonly function: { readonly name: string }
  }[]
}

const user = (content: string): Message => ({ role: 'user', content })
const look = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } }

describe.each(await someStores())(
  'a tool that the server adds and answers itself, on %s',
  (_, create) => {
    /** A server whose model reads the message whose number it is asked for, and looks besides where it may. */
    async function start(options: object = {}) {
      const offered: (readonly string[])[] = []
      const rule = ({ messages, tools = [] }: RulesRequest): RulesAnswer => {
        const names = tools.map(({ name }) => name)
        offered.push(names)
        const last = messages.at(-1)!
        if (last.role === 'tool') return `It says: ${String(last.content)}`
        const [, place] = /read (\d+)/.exec(String(last.content)) ?? []
        if (place === undefined || !names.includes('read_message'))
          return `Answer to: ${String(last.content)}`
        const reading = { name: 'read_message', arguments: { place: Number(place) } }
        return {
          text: 'One moment. ',
          calls: names.includes('look') ? [reading, { name: 'look' }] : [reading],
        }
      }
      const upstream = { ...readerUpstream(), model: () => rules(rule, { window: 8192 }) }
      const server = await startServer({
        store: create(),
        upstream,
        readMessages: true,
        ...options,
      })
      const ask = async (messages: readonly Message[], more: object = {}) => {
        const response = await fetch(`${server.url}/v1/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'm', messages, ...more }),
        })
        return { response, conversation: response.headers.get('x-throughline-conversation')! }
      }
      const answer = async (messages: readonly Message[], more: object = {}) => {
        const { response, conversation } = await ask(messages, more)
        const body = (await response.json()) as { choices: { message: Message }[] }
        return { message: body.choices[0]!.message, conversation }
      }
      return { ...server, offered, ask, answer }
    }

    it('reads a message of the log, and shows the client only the answer', async () => {
      const { answer, offered, history } = await start()
      const first = await answer([user('The code is TEAL-42.')])
      const list = [user('The code is TEAL-42.'), first.message, user('Please read 1 again.')]
      const { message, conversation } = await answer(list)
      expect(message).toMatchObject({ content: 'It says: The code is TEAL-42.' })
      expect(message.tool_calls).toBeUndefined()
      expect(offered.at(-1)).toEqual(['read_message'])
      // The list that the client sends next has nothing of it, and goes on in the same conversation.
      const next = await answer([...list, message, user('Thanks.')])
      expect(next).toMatchObject({ conversation, message: { content: 'Answer to: Thanks.' } })
      const [info, ...others] = await history.conversations({})
      expect(others).toEqual([])
      expect(info!.threads.map(({ branch }) => branch)).toEqual(['main'])
      const logged = await history.thread(conversation).messages()
      expect(logged.map(({ role }) => role).join(' ')).toBe(
        'user assistant user assistant tool assistant user assistant',
      )
    })

    it('leaves calls of the client to the client, in the same round', async () => {
      const { answer } = await start()
      const first = await answer([user('The code is TEAL-42.')])
      const list = [user('The code is TEAL-42.'), first.message, user('Please read 1 again.')]
      const { message } = await answer(list, { tools: [look] })
      expect(message.tool_calls?.map(call => call.function.name)).toEqual(['look'])
      const result = { role: 'tool', tool_call_id: message.tool_calls![0]!.id, content: 'a boat' }
      const { message: last } = await answer([...list, message, result], { tools: [look] })
      expect(last.content).toBe('It says: a boat')
    })

    it('streams, and tells of a place that is not there', async () => {
      const { ask } = await start()
      const { response } = await ask([user('Please read 99 again.')], { stream: true })
      const text = await response.text()
      expect(text).toContain('there is no message at place 99')
      expect(text).not.toContain('read_message')
    })

    it('is not offered unless it is asked for, and not where the client has a tool of that name', async () => {
      const plain = await start({ readMessages: false })
      await plain.answer([user('Please read 1 again.')])
      expect(plain.offered).toEqual([[]])
      const taken = await start()
      const own = {
        type: 'function',
        function: { name: 'read_message', parameters: { type: 'object' } },
      }
      const { message } = await taken.answer([user('Please read 1 again.')], { tools: [own] })
      expect(message.tool_calls?.map(call => call.function.name)).toEqual(['read_message'])
      expect(taken.offered).toEqual([['read_message']])
    })

    it('never reaches a client whose form the upstream speaks', async () => {
      const call = { index: 0, id: 'c1', type: 'function' }
      const reading = { ...call, function: { name: 'read_message', arguments: '{"place":1}' } }
      const model = await startUpstream(({ path, body }) => {
        if (!path.endsWith('/chat/completions')) return { status: 404 }
        const { role } = (body as { messages: readonly Message[] }).messages.at(-1)!
        return role === 'tool'
          ? openaiAnswer([{ content: 'It says Hello.' }])
          : openaiAnswer([{ tool_calls: [reading] }], { finish: 'tool_calls' })
      })
      onTestFinished(() => model.close())
      const { ask } = await start({
        upstream: openaiUpstream({ url: model.url, window: 8192 }),
        window: 8192,
      })
      const { response } = await ask([user('Hello, what did I say first?')], { stream: true })
      const text = await response.text()
      expect(text).toContain('It says Hello.')
      expect(text).not.toContain('read_message')
      const sent = model.requests.filter(({ path }) => path.endsWith('/chat/completions'))
      expect(sent).toHaveLength(2)
      expect(sent[0]!.text).toContain('"read_message"')
      expect(sent[1]!.text).toContain('Hello, what did I say first?')
    })
  },
)
