import { sliding, stable } from '@throughline/core'
import { reader } from '@throughline/models'
import { inChat, newHistory, partsOf } from '@throughline/test-tools/chat-help'
import { describe, expect, it } from 'vitest'
import { type ChatPart, createChat } from '../src/index.ts'

describe('the settings of a history', () => {
  const receiptIn = (parts: readonly ChatPart[]) =>
    parts.find(part => part.type === 'context')!.receipt

  it('hold for a chat on it that names none of its own', async () => {
    const chat = createChat({ history: newHistory({ window: 700, reserve: 50 }), model: reader() })
    expect(receiptIn(await partsOf(chat.send('Hello.', inChat)))).toMatchObject({
      window: 700,
      reserve: 50,
    })
  })

  it('are those of the model where neither names one', async () => {
    const chat = createChat({ history: newHistory(), model: reader({ window: 1024 }) })
    expect(receiptIn(await partsOf(chat.send('Hello.', inChat)))).toMatchObject({
      window: 1024,
      reserve: 128,
    })
  })

  it('may be named twice, but not in two ways', () => {
    const policy = stable()
    const same = { window: 700, reserve: 50, policy }
    expect(() => createChat({ history: newHistory(same), model: reader(), ...same })).not.toThrow()
    for (const [option, other] of Object.entries({ window: 800, reserve: 60, policy: sliding() }))
      expect(() =>
        createChat({ history: newHistory(same), model: reader(), [option]: other }),
      ).toThrow(expect.objectContaining({ code: 'invalid_option', option }))
  })
})

describe('the note about a gap', () => {
  const policy = sliding({ messages: 2 })
  const chatWith = (marker?: string) =>
    createChat({ history: newHistory(), model: reader(), policy, marker })

  it('has the text that a chat gives, in all that it sends', async () => {
    for (const [marker, text] of [
      ['(some turns are left out)', '(some turns are left out)'],
      [undefined, '[Several conversation turns removed to conserve context.]'],
    ] as const) {
      const chat = chatWith(marker)
      for (const input of ['One.', 'Two.', 'Three.', 'Four.']) await chat.send(input, inChat)
      const { messages, receipt } = await chat.context(inChat)
      const at = receipt.sent.findIndex(({ part }) => part === 'marker')
      expect(messages[at]!.content).toBe(text)
      const parts = await partsOf(chat.send('Five.', inChat))
      const sent = parts.find(part => part.type === 'context')!
      expect(sent.messages.map(({ content }) => content)).toContain(text)
    }
  })

  it('must be a text', () => {
    expect(() => chatWith('')).toThrow(
      expect.objectContaining({ code: 'invalid_option', option: 'marker' }),
    )
  })
})
