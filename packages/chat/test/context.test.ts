import { createHistory } from '@throughline/history'
import { type Model, type ModelRequest, rules } from '@throughline/models'
import { memoryStore } from '@throughline/stores'
import { dump } from 'throughline/explain'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Chat, type ChatContext, createChat, defineTool } from '../src/index.ts'

const long = defineTool({
  name: 'look',
  description: 'Gives a long text.',
  input: z.object({}),
  run: () => 'harbour '.repeat(2000),
})

/** A chat whose model is asked for the context at the very moment in which it is sent one. */
function chatThatCompares() {
  const seen: { readonly sent: ModelRequest; readonly told: ChatContext }[] = []
  const answer = rules(({ messages }) =>
    String(messages.at(-1)?.content).startsWith('look')
      ? { calls: [{ name: 'look' }] }
      : 'Done.\n\n[NOTE TO SELF 77: berth 12]',
  )
  const model: Model = {
    ...answer,
    window: async () => 2048,
    async *stream(request) {
      seen.push({ sent: request, told: await chat.context({ conversation: 'trip' }) })
      yield* answer.stream(request)
    },
  }
  const history = createHistory({ store: memoryStore() })
  const chat: Chat = createChat({
    ...{ history, model, tools: [long], system: async () => 'Be brief.', pins: ['PIER: 4'] },
    notes: { place: 'system', nonce: '77' },
  })
  return { chat, seen }
}

describe('the context of a chat', () => {
  it('is what the model is sent, in every round: prompt, notes and tools', async () => {
    const { chat, seen } = chatThatCompares()
    for (let turn = 0; turn < 6; turn++)
      await chat.send(`${turn === 3 ? 'look' : 'hello'} ${'word '.repeat(600)}`, {
        conversation: 'trip',
      })
    expect(seen).toHaveLength(7)
    for (const { sent, told } of seen) {
      expect(told.messages).toEqual(sent.messages)
      expect(told.tools).toEqual(sent.tools)
    }
    // The cut has passed something, and the clipped result has brought its tool.
    expect(seen.at(-1)!.told.receipt.counts.omitted).toBeGreaterThan(0)
    expect(seen.at(-1)!.told.tools.map(({ name }) => name)).toEqual(['look', 'read_result'])
  })

  it('asks nothing, stores nothing, and is what a dump shows between two turns', async () => {
    const { chat, seen } = chatThatCompares()
    await chat.send('hello', { conversation: 'trip' })
    const context = await chat.context({ conversation: 'trip' })
    expect(seen).toHaveLength(1)
    expect((await chat.context({ conversation: 'trip' })).messages).toEqual(context.messages)
    const text = dump(context)
    expect(text).toContain('Be brief.')
    expect(text).toContain('PIER: 4')
    expect(text).toContain('RECENT NOTES TO SELF:\nberth 12')
    expect(text).toContain('=== CURRENT USER MESSAGE ===\n(no instruction yet)')
  })

  it('is that of a conversation of the history', async () => {
    const { chat } = chatThatCompares()
    const chatless = createChat({ model: rules(() => 'x') })
    await expect(chatless.context({ conversation: 'trip' })).rejects.toMatchObject({
      code: 'invalid_option',
    })
    await expect(chat.context({ conversation: '' })).rejects.toMatchObject({
      code: 'invalid_option',
    })
    await expect(chat.context({ conversation: 'trip', branch: 'none' })).rejects.toMatchObject({
      code: 'no_branch',
    })
  })
})
