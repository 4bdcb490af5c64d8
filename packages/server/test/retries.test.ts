import type { Store } from '@throughline/stores/store'
import { someStores } from '@throughline/test-tools/every-store'
import { ollamaAnswer, type UpstreamAnswer } from '@throughline/test-tools/scripted-upstream'
import { startTcpProxy } from '@throughline/test-tools/tcp-proxy'
import OpenAI from 'openai'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startScripted } from './scripted-server.ts'

const call = [{ function: { name: 'look', arguments: {} } }]
const tools = [
  { type: 'function' as const, function: { name: 'look', parameters: { type: 'object' } } },
]
const answer = (at: number) =>
  ollamaAnswer([{ content: `Answer ${at} ` }, { content: 'of the model.' }])

/** The client of OpenAI, which asks up to three times, before a server whose answers can be lost on the way. */
async function start(store: Store, path = '') {
  let chats = 0
  const script: UpstreamAnswer[] = []
  const next = () => {
    chats += 1
    return script.shift() ?? answer(chats)
  }
  const server = await startScripted(next, { store, retries: 0 })
  const proxy = await startTcpProxy(server.url)
  onTestFinished(() => proxy.stop())
  const baseURL = `http://127.0.0.1:${proxy.port}${path}/v1`
  const client = new OpenAI({ baseURL, apiKey: 'none' })
  return { ...server, script, proxy, client, chats: () => chats }
}

type Started = Awaited<ReturnType<typeof start>>

/** The server writes when the turn is committed: a whole answer at once, a stream its end. */
const isBegun = (text: string) => text.length > 0
const isDone = (text: string) => /\[DONE\]|response\.completed/.test(text)

/** Says something, and gives the text of the answer. The answers of the first requests are lost. */
const ways: Readonly<
  Record<
    string,
    (started: Started, list: OpenAI.ChatCompletionMessageParam[], lost: number) => Promise<unknown>
  >
> = {
  async whole({ client, proxy }, messages, lost) {
    proxy.loseAnswers(lost, isBegun)
    const { choices } = await client.chat.completions.create({ model: 'm', messages })
    return choices[0]!.message.content
  },
  async streamed({ client, proxy }, messages, lost) {
    proxy.loseAnswers(lost, isDone)
    let text = ''
    for await (const { choices } of await client.chat.completions.create({
      model: 'm',
      messages,
      stream: true,
    }))
      text += choices[0]?.delta.content ?? ''
    return text
  },
  async 'as a response'({ client, proxy }, messages, lost) {
    proxy.loseAnswers(lost, isBegun)
    return (await client.responses.create({ model: 'm', input: messages as never })).output_text
  },
  async 'as a streamed response'({ client, proxy }, messages, lost) {
    proxy.loseAnswers(lost, isDone)
    let text = ''
    for await (const event of await client.responses.create({
      model: 'm',
      input: messages as never,
      stream: true,
    }))
      if (event.type === 'response.output_text.delta') text += event.delta
    return text
  },
}

describe.each(await someStores())(
  'an answer that is lost after its turn was committed, on %s',
  (_, create) => {
    it('comes with the third request of the client, and the model is asked once a turn', async () => {
      await Promise.all(
        Object.values(ways).map(async say => {
          const started = await start(create())
          const list: OpenAI.ChatCompletionMessageParam[] = []
          for (const [content, lost] of [
            ['hello', 2],
            ['and now?', 1],
          ] as const) {
            list.push({ role: 'user', content })
            list.push({ role: 'assistant', content: String(await say(started, list, lost)) })
          }
          expect(started.proxy.cuts).toBe(3)
          expect(started.chats()).toBe(2)
          const said = ['hello', 'Answer 1 of the model.', 'and now?', 'Answer 2 of the model.']
          expect(list.map(({ content }) => content)).toEqual(said)
          expect(await started.lines()).toEqual([{ said, turns: ['completed', 'completed'] }])
        }),
      )
    })

    it('comes once where the client names the conversation, or the reply that it goes on from', async () => {
      const named = async () => {
        const started = await start(create(), '/c/kitchen')
        for (const content of ['hello', 'hello'])
          await ways.whole!(started, [{ role: 'user', content }], 1)
        return started
      }
      const previous = async () => {
        const started = await start(create())
        const { client, proxy } = started
        const first = await client.responses.create({ model: 'm', input: 'hello' })
        proxy.loseAnswers(1, isBegun)
        await client.responses.create({
          model: 'm',
          input: 'hello',
          previous_response_id: first.id,
        })
        return started
      }
      for (const started of await Promise.all([named(), previous()])) {
        expect(started.chats()).toBe(2)
        const said = ['hello', 'Answer 1 of the model.', 'hello', 'Answer 2 of the model.']
        expect(await started.lines()).toEqual([{ said, turns: ['completed', 'completed'] }])
      }
    })

    it('comes with the same calls, and with one answer to their results', async () => {
      await Promise.all(
        ['', '/c/kitchen'].map(async path => {
          const started = await start(create(), path)
          const { client, proxy, script } = started
          script.push(ollamaAnswer([{ tool_calls: call }]))
          const list: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'look' }]
          const ask = async (messages: OpenAI.ChatCompletionMessageParam[]) => {
            proxy.loseAnswers(1, isBegun)
            return (await client.chat.completions.create({ model: 'm', messages, tools }))
              .choices[0]!.message
          }
          const asked = await ask(list)
          const result = {
            role: 'tool',
            tool_call_id: asked.tool_calls![0]!.id,
            content: 'a boat',
          } as const
          list.push(asked, result)
          // A client that names its conversation sends what is new.
          const { content } = await ask(path === '' ? list : [result])
          expect(content).toBe('Answer 2 of the model.')
          expect(proxy.cuts).toBe(2)
          expect(started.chats()).toBe(2)
          const said = ['look', '', 'a boat', 'Answer 2 of the model.']
          expect(await started.lines()).toEqual([{ said, turns: ['completed'] }])
        }),
      )
    })

    it('is cut off where the model is still at work, and given once the client asks again', async () => {
      const started = await start(create())
      const { client, proxy, script, scripted } = started
      script.push({ ...answer(0), chunks: answer(0).chunks.slice(0, 1), ending: 'stall' })
      const messages = [{ role: 'user' as const, content: 'hello' }]
      const asked = client.chat.completions.create({ model: 'm', messages })
      const chats = () => scripted.requests.filter(({ path }) => path === '/api/chat')
      await expect.poll(() => chats().length).toBe(1)
      proxy.cutAll()
      expect(await chats()[0]!.ended).toBe('left')
      const { choices } = await asked
      expect(choices[0]!.message.content).toBe('Answer 2 of the model.')
      expect(await started.lines()).toEqual([
        { said: ['hello', 'Answer 2 of the model.'], turns: ['completed'] },
      ])
    })
  },
)
