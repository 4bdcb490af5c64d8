import { createHistory } from '@throughline/history'
import { reader } from '@throughline/models'
import { memoryStore } from '@throughline/stores'
import { inChat } from '@throughline/test-tools/chat-help'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { createChat, defineTool } from '../src/index.ts'

it('answers, keeps the note and the log, and remembers', async () => {
  const history = createHistory({ store: memoryStore() })
  const chat = createChat({ history, model: reader(), notes: true, system: 'You help.' })
  const parts = []
  for await (const part of chat.send('My locker code is 4471.', inChat)) parts.push(part)
  expect(parts.map(part => part.type).filter((type, at, all) => type !== all[at - 1])).toEqual([
    'context',
    'text-delta',
    'note',
    'end',
  ])
  const { text } = await chat.send('What is my locker code?', inChat).result()
  expect(text).toContain('4471')
  const thread = history.thread('chat')
  expect((await thread.messages()).map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'assistant_note',
    'user',
    'assistant',
    'assistant_note',
  ])
})

it('runs tools', async () => {
  const history = createHistory({ store: memoryStore() })
  const add = defineTool({
    name: 'add',
    description: 'adds',
    input: z.object({ a: z.number(), b: z.number() }),
    run: ({ a, b }) => a + b,
  })
  const chat = createChat({ history, model: reader(), tools: [add] })
  const result = await chat.send('call add with {"a": 2, "b": 3}', inChat).result()
  expect(result.text).toContain('5')
  expect(result.rounds).toBe(2)
})
