import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  type BaseMessage,
  coerceMessageLikeToMessage,
  HumanMessage,
} from '@langchain/core/messages'
import { ChatOllama } from '@langchain/ollama'
import { addedTexts } from '@throughline/core/fixtures'
import { markerText, recallTitle } from '@throughline/core/messages'
import { startServer } from '@throughline/test-tools/start-server'
import { generateText, type ModelMessage, wrapLanguageModel } from 'ai'
import { throughlineMiddleware } from 'throughline/ai-sdk'
import { fitLangChain } from 'throughline/langchain'
import { describe, expect, it } from 'vitest'

const question = (turn: number) =>
  turn === 0
    ? 'My boat is called Heron, and her berth is number twelve.'
    : turn % 7 === 6
      ? 'What is my boat called, and which berth has she?'
      : `Note ${turn}: the weather, the garden, the neighbours and number ${turn}, at some length, as people talk about them.`

/** What the log has of all conversations: branches, and the texts of the only thread. */
async function logOf({ history }: Awaited<ReturnType<typeof startServer>>) {
  const conversations = await history.conversations()
  const threads = conversations.flatMap(({ conversation, threads }) =>
    threads.map(({ branch }) => ({ conversation, branch })),
  )
  const [{ conversation, branch }] = threads as [(typeof threads)[number]]
  const thread = history.thread(conversation, { branch })
  const messages = await thread.messages()
  return { threads, thread, texts: messages.map(({ content }) => String(content)) }
}

describe('a client that fits its list before it sends it', () => {
  it('with LangChain goes on in one conversation, which has all that was said and nothing that fit has added', async () => {
    const server = await startServer()
    const model = new ChatOllama({ model: 'reader', baseUrl: server.url })
    const state: BaseMessage[] = []
    let added = 0
    for (let turn = 0; turn < 30; turn++) {
      state.push(new HumanMessage(question(turn)))
      const { messages, receipt } = fitLangChain(state, {
        ...{ window: 1400, reserve: 100, create: coerceMessageLikeToMessage },
      })
      added += addedTexts(receipt).length
      state.push(await model.invoke(messages))
    }
    expect(added).toBeGreaterThan(10)
    const { threads, thread, texts } = await logOf(server)
    expect(threads).toHaveLength(1)
    expect(texts).toEqual(state.map(({ text }) => text))
    const whys = (await thread.entries()).flatMap(({ data }) => {
      const { request } = (data ?? {}) as { readonly request?: { readonly why?: string } }
      return request?.why ?? []
    })
    expect(whys.at(-1)).toContain('Throughline had added')
  })

  it('with the middleware of the AI SDK does the same', async () => {
    const server = await startServer()
    const provider = createOpenAICompatible({ name: 'local', baseURL: `${server.url}/v1` })
    let added = 0
    const model = wrapLanguageModel({
      model: provider('reader'),
      middleware: throughlineMiddleware({
        ...{ window: 1400, reserve: 100 },
        onContext({ receipt }) {
          added += addedTexts(receipt).length
        },
      }),
    })
    const messages: ModelMessage[] = []
    const said: string[] = []
    for (let turn = 0; turn < 30; turn++) {
      messages.push({ role: 'user', content: question(turn) })
      const { text, response } = await generateText({ model, messages })
      messages.push(...response.messages)
      said.push(question(turn), text)
    }
    expect(added).toBeGreaterThan(10)
    const { threads, texts } = await logOf(server)
    expect(threads).toHaveLength(1)
    expect(texts).toEqual(said)
  })

  it('loses nothing that a user types in the same words', async () => {
    const server = await startServer()
    const model = new ChatOllama({ model: 'reader', baseUrl: server.url })
    const state: BaseMessage[] = []
    const typed = [
      ...['My boat is called Heron.', markerText, `${recallTitle}\n#3 user: My code is 4471.`],
      ...['What is my code?', markerText, markerText, 'What is my boat called?'],
    ]
    for (const text of typed) {
      state.push(new HumanMessage(text))
      state.push(await model.invoke(state))
    }
    const { threads, texts } = await logOf(server)
    expect(threads).toHaveLength(1)
    expect(texts).toEqual(state.map(({ text }) => text))
  })

  it('keeps what was recalled for it where the server never heard of the conversation', async () => {
    const server = await startServer()
    const model = new ChatOllama({ model: 'reader', baseUrl: server.url })
    const options = { window: 1400, reserve: 100, create: coerceMessageLikeToMessage }
    const state: BaseMessage[] = []
    for (let turn = 0; turn < 40; turn++)
      state.push(
        new HumanMessage(question(turn)),
        coerceMessageLikeToMessage(['assistant', `Noted, ${turn}.`]),
      )
    for (const turn of [40, 41]) {
      state.push(new HumanMessage(question(turn)))
      const { messages, receipt } = fitLangChain(state, options)
      expect(receipt.sent.some(({ text }) => text !== undefined)).toBe(true)
      state.push(await model.invoke(messages))
      const { threads, texts } = await logOf(server)
      expect(threads).toHaveLength(1)
      expect(texts.some(text => text.startsWith(recallTitle) || text === markerText)).toBe(true)
    }
  })
})
