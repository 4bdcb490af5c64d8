import { describe, expect, it } from 'vitest'
import type { MessageLike } from '../../log/message.ts'
import { assistant, round, system, user } from '../../testing/builders.ts'
import { createRandom } from '../../testing/random-conversation.ts'
import { o200k } from '../../tokens/o200k.ts'
import type { Overflow, Shape } from '../draft/frame-options.ts'
import { type FitOptions, fit } from '../fit.ts'
import { balanced } from '../policies/recall.ts'
import { sliding } from '../policies/sliding.ts'
import { spongebob } from '../policies/spongebob.ts'
import { tiered } from '../policies/tiered.ts'

const count = o200k()
const words = (tokens: number, name: string) =>
  Array.from({ length: tokens }, (_, n) => `${name}${n % 10}`).join(' ')
const textOf = (messages: readonly MessageLike[]) => JSON.stringify(messages)
const settings: FitOptions = { window: 4096, reserve: 512, count }

it('cuts results, not the system prompt', () => {
  const rules = system(words(700, 'rule'))
  const call = {
    role: 'assistant',
    content: '',
    tool_calls: ['a', 'b'].map(id => ({ id, function: { name: 'look', arguments: {} } })),
  }
  const results = ['a', 'b'].map(id => ({
    role: 'tool',
    tool_call_id: id,
    content: words(1200, 'berth'),
  }))
  const chat = [rules, user('Which berths are free?'), call, ...results]
  for (const overflow of ['trim', 'trim-results'] as const) {
    const { messages, tokens, receipt } = fit(chat, { ...settings, overflow })
    expect(messages.slice(0, 3)).toEqual(chat.slice(0, 3))
    expect(messages.slice(3).map(({ content }) => /tokens cut here/.test(String(content)))).toEqual(
      [true, true],
    )
    expect(receipt.entries.map(({ fate }) => fate)).toEqual([
      'kept',
      'kept',
      'kept',
      'altered',
      'altered',
    ])
    expect(tokens).toBeGreaterThan(receipt.capacity - 100)
  }
})

describe('what users pasted', () => {
  const chat = [
    system('Be brief.'),
    user(words(1500, 'first')),
    assistant('Read.'),
    user(words(200, 'second')),
    user(words(1400, 'newest')),
  ]

  it('is cut after results, the oldest first', () => {
    const { messages, receipt } = fit(chat, { ...settings, overflow: 'trim' })
    expect(textOf(messages)).toContain('tokens cut here')
    expect(messages.at(-1)).toBe(chat.at(-1))
    expect(receipt.entries.filter(({ rule }) => rule === 'trim').map(({ seq }) => seq)).toEqual([1])
    const worked = [...chat, ...round('look', words(900, 'berth'))]
    const { receipt: second } = fit(worked, { ...settings, window: 6700, overflow: 'trim' })
    expect(second.entries.filter(({ rule }) => rule === 'trim').map(({ seq }) => seq)).toEqual([6])
  })

  it('stays whole where only results may be cut: then it is an error', () => {
    expect(() => fit(chat, { ...settings, overflow: 'trim-results' })).toThrow(
      /What must be sent needs/,
    )
  })
})

const shapes: readonly (Partial<FitOptions> & { readonly shape: Shape })[] = [
  { shape: 'free' },
  { shape: 'alternating' },
  { shape: 'alternating', systemRole: false },
  { shape: 'free', systemPrompt: 'stable' },
]
const policies = [balanced(), tiered(), spongebob(), sliding({ messages: 6 })]

describe.each(['error', 'keep', 'trim', 'trim-results'] satisfies Overflow[])('%s', overflow => {
  it('never cuts the system prompt, pins, notes or the newest request, whatever their sizes', () => {
    let [cuts, errors] = [0, 0]
    for (let seed = 0; seed < 120; seed++) {
      const next = createRandom(seed)
      const rules = words(next(1400), 'rule')
      const pins = [words(next(100) + 1, 'pin')]
      const note = words(next(60) + 1, 'note')
      const newest = words(next(900) + 1, 'newest')
      const rounds = Array.from({ length: next(3) }, () =>
        round('look', words(next(1500), 'berth')),
      ).flat()
      const chat = [
        system(rules),
        user(words(next(900) + 1, 'first')),
        assistant('Yes.'),
        { role: 'assistant_note', content: note },
        user(words(next(700) + 1, 'second')),
        assistant(words(next(300) + 1, 'reply')),
        user(newest),
        ...rounds,
      ]
      const options = {
        ...settings,
        ...shapes[seed % shapes.length],
        policy: policies[(seed >> 2) % 4]!,
      }
      try {
        const { messages } = fit(chat, { ...options, overflow, pins, notes: 'system' })
        const sent = textOf(messages)
        for (const text of [rules, pins[0]!, note, newest]) expect(sent).toContain(text)
        if (sent.includes('tokens cut here')) cuts += 1
      } catch (error) {
        expect(error).toMatchObject({ code: 'context_overflow' })
        errors += 1
      }
    }
    expect(cuts > 0).toBe(overflow.startsWith('trim'))
    expect(errors > 0).toBe(overflow !== 'keep')
  })
})
