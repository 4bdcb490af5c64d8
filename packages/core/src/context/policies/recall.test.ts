import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { MessageLike } from '../../log/message.ts'
import { assistant, calls, result, system, user } from '../../testing/builders.ts'
import { estimate } from '../../tokens/estimate.ts'
import { words } from '../../tokens/words.ts'
import { createFitter } from '../create-fitter.ts'
import { type FitOptions, fit } from '../fit.ts'
import { balanced, defaultPolicy, recall, thorough, thrifty } from './recall.ts'
import { spongebob } from './spongebob.ts'

const options = (window: number, rest: Partial<FitOptions> = {}): FitOptions => ({
  window,
  policy: balanced(),
  count: words(),
  ...rest,
})

/** Small talk about nothing that is asked for later; every message is different. */
const chatter = (turns: number, from = 0) =>
  Array.from({ length: turns }, (_, n) => [
    user(
      `so item ${from + n} is fine, the colour stays grey and the meeting moves to slot ${from + n}`,
    ),
    assistant(
      `understood, grey it is, and slot ${from + n} is free for the meeting about item ${from + n}`,
    ),
  ]).flat()

const early = [
  user('Hello, I plan a trip.'),
  assistant('Where to?'),
  user('My dog is called Bramble and she is afraid of thunder.'),
  assistant('Poor Bramble. I will remember that.'),
]

describe('recall', () => {
  it('brings back what the newest message asks for, word for word, just before it', () => {
    const chat = [...early, ...chatter(60), user('What is my dog called?')]
    const { messages, receipt } = fit(chat, options(600))
    const block = messages.at(-2)!
    expect(block.role).toBe('user')
    expect(block.content.split('\n')[0]).toBe('[Earlier in this conversation:]')
    expect(block.content).toContain(
      '#2 user: My dog is called Bramble and she is afraid of thunder.',
    )
    expect(messages.at(-1)).toBe(chat.at(-1))
    expect(receipt.entries[2]).toMatchObject({
      fate: 'recalled',
      rule: 'balanced',
      why: 'asked for: dog, called',
    })
    expect(receipt.parts.recall).toBeGreaterThan(10)
  })

  it('tells the day of what it brings back, once for a session', () => {
    const day = 24 * 60 * 60 * 1000
    const on = (time: number, messages: readonly MessageLike[]) =>
      messages.map((message, n) => ({ ...message, time: time + n * 1000 }))
    const chat = [
      ...on(Date.UTC(2023, 4, 3, 10), early),
      ...on(Date.UTC(2023, 4, 3, 12), chatter(60)),
      ...on(Date.UTC(2023, 4, 3, 12) + day, [user('What is my dog called?')]),
    ]
    const lines = (messages: readonly MessageLike[]) => {
      const { messages: sent, receipt } = fit(messages, options(600))
      expect(receipt.tokens).toBeLessThanOrEqual(600)
      return String(sent.at(-2)!.content).split('\n')
    }
    const dated = lines(chat)
    expect(dated.slice(1, 3)).toEqual([
      '3 May 2023',
      '#2 user: My dog is called Bramble and she is afraid of thunder.',
    ])
    expect(dated.filter(line => line === '3 May 2023')).toHaveLength(1)
    const undated = lines(chat.map(({ time: _, ...message }) => message as MessageLike))
    expect(undated.filter(line => !/^[#[]/.test(line))).toEqual([])
  })

  it('shows what it brings back in the order of the conversation', () => {
    const chat = [
      ...early,
      ...chatter(30),
      user('Bramble the dog eats fish.'),
      assistant('Noted.'),
      ...chatter(40, 30),
      user('Tell me about my dog Bramble?'),
    ]
    const { messages } = fit(chat, options(700, { policy: thorough() }))
    const seqs = [...messages.at(-2)!.content.matchAll(/^#(\d+) /gm)].map(match => Number(match[1]))
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b))
    expect(seqs).toContain(2)
    expect(seqs).toContain(64)
  })

  it('brings back nothing when nothing old is asked for', () => {
    const chat = [...early, ...chatter(60), user('ok, the colour stays grey then')]
    expect(fit(chat, options(600)).receipt.counts.recalled).toBe(0)
  })

  it('keeps a block where it was put until the next cut, for all rounds of the turn and the turns after it', () => {
    const fitter = createFitter(options(1200))
    fitter.append(...early, ...chatter(80), user('What is my dog called?'))
    const first = fitter.context()
    const block = first.messages.at(-2)
    fitter.append(calls('look_up'), result('look_up', 'Bramble'))
    const second = fitter.context()
    expect(second.messages.slice(0, first.messages.length)).toEqual(first.messages)
    expect(second.receipt.prefix!.share).toBeGreaterThan(0.9)
    fitter.append(assistant('Bramble.'), user('fine, the meeting stays at slot 80'))
    const third = fitter.context()
    expect(third.messages).toContainEqual(block)
    expect(third.receipt.prefix!.tokens).toBe(second.tokens)
  })

  it('brings back a round of tools whole', () => {
    const chat = [
      user('start'),
      calls('read_meter'),
      result('read_meter', 'gas meter says 48213'),
      assistant('The gas meter is read.'),
      ...chatter(60),
      user('What did the gas meter say?'),
    ]
    const { messages } = fit(chat, options(600))
    expect(messages.at(-2)!.content).toContain(
      'assistant: → read_meter({})\n#2 tool read_meter: gas meter says 48213',
    )
  })

  it('becomes the head of the user message where roles alternate', () => {
    const chat = [system('Be kind.'), ...early, ...chatter(60), user('What is my dog called?')]
    const { messages } = fit(chat, options(600, { shape: 'alternating' }))
    expect(messages.at(-1)!.content).toMatch(
      /^\[Earlier in this conversation:\]\n.*#3 user: My dog is .*\n\nWhat is my dog called\?$/s,
    )
  })

  it('finds words in scripts without spaces', () => {
    const chat = [
      user('开始'),
      assistant('好'),
      user('我的狗叫小黑，它怕打雷。'),
      assistant('记住了。'),
      ...chatter(60),
      user('我的狗叫什么名字？'),
    ]
    const { messages } = fit(chat, options(600))
    expect(messages.at(-2)!.content).toContain('我的狗叫小黑')
  })

  it('knows sessions by their pauses', () => {
    const at = (message: ReturnType<typeof user>, time: string) => ({ ...message, time })
    const old = [
      at(user('We talk about the boiler in the cellar today.'), '2026-03-01T10:00:00Z'),
      at(assistant('Good.'), '2026-03-01T10:01:00Z'),
      at(user('The valve must be closed by a quarter.'), '2026-03-01T10:02:00Z'),
    ]
    const rest = chatter(70).map((message, n) =>
      at(message, new Date(Date.UTC(2026, 3, 2 + n)).toISOString()),
    )
    const question = at(user('What about the boiler valve?'), '2026-07-01T00:00:00Z')
    const { receipt } = fit(
      [at(user('hi'), '2026-01-01T00:00:00Z'), ...old, ...rest, question],
      options(700),
    )
    expect(receipt.entries[3]!.fate).toBe('recalled')
    expect(receipt.entries[1]!.fate).toBe('recalled')
  })

  it('goes on with a saved index as if it had read everything itself', () => {
    const chat = [...early, ...chatter(60), user('What is my dog called?')]
    const first = createFitter(options(600))
    first.append(...chat)
    const expected = first.context()
    const saved = first.saveIndex()
    const later = createFitter({ ...options(600), savedIndex: saved })
    later.append(...structuredClone(chat))
    expect(JSON.stringify(later.context().messages)).toBe(JSON.stringify(expected.messages))
    expect(later.saveIndex()).toEqual(saved)
    expect(() => createFitter({ ...options(600), savedIndex: Uint8Array.of(9, 9) })).toThrow(
      /cannot be used/,
    )
  })

  it('takes any effort between nothing and everything', () => {
    const chat = [
      ...early,
      ...chatter(60),
      user('What is my dog called, and which slot had item 7?'),
    ]
    const tokens = [0, 0.35, 0.5, 0.75, 1].map(
      effort => fit(chat, options(800, { policy: recall({ effort }) })).receipt.parts.recall,
    )
    expect(tokens).toEqual([...tokens].sort((a, b) => a - b))
    expect(tokens.at(-1)).toBeGreaterThan(tokens[0]!)
    expect(() => recall({ effort: 2 })).toThrow(
      'Option "effort": expected a number from 0 to 1, got 2',
    )
  })

  it('counts what it adds: never over the window, whatever is asked', () => {
    for (const policy of [thrifty(), balanced(), thorough()]) {
      for (let window = 60; window < 900; window += 35) {
        const chat = [
          ...early,
          ...chatter(40),
          user('What is my dog called, and why is she afraid?'),
        ]
        expect(fit(chat, options(window, { policy })).tokens).toBeLessThanOrEqual(window)
      }
    }
  })
})

describe('on a project chat of 168 turns, in 4096 tokens', () => {
  const path = new URL('../../../../../examples/project-chat.json', import.meta.url)
  const chat = JSON.parse(readFileSync(path, 'utf8')) as (MessageLike & { content: string })[]

  /** Questions whose answers were said once, long ago, with the places of the messages that answer them. */
  const questions: readonly (readonly [question: string, ...places: number[]])[] = [
    ['Which six-figure grid reference does Priya want on the season file?', 20],
    ['What happens when two people text a count for the same bucket on the same night?', 170],
    ['What do I want first in an answer?', 10],
    ['After what time may nobody be texted?', 16],
    ['How is a night named?', 14],
    ['When are the phone numbers erased?', 42],
    ['How old is Tobi?', 24],
    ['Why was the gateway given up?', 227],
    ['What does the SIM cost?', 236],
    ['Why did the shed sensor read too warm in the evening?', 126],
    ['Who has the key to the cupboard, and when is he there?', 136],
    ['Why did only 11 of 23 alerts go out on 9 March?', 308],
    ['What were the totals of the first night?', 349],
    ['How are newts named in the season file?', 425],
    ['Where do backups go, when, and how many are kept?', 289],
    ['What are the two battery voltages, and when are batteries changed?', 507],
    ['What was the first temperature threshold and what is it now?', 28, 393],
  ]

  const answered = (policy = defaultPolicy) =>
    questions.filter(([question, ...places]) => {
      const asked = { role: 'user', content: question, time: '2026-03-13T16:20:00Z' }
      const { receipt } = fit([...chat.slice(0, -1), asked], {
        window: 4096,
        policy,
        count: estimate(),
      })
      return places.every(place => ['kept', 'recalled'].includes(receipt.entries[place]!.fate))
    }).length

  it('the default has what most questions need, the most recent messages alone hardly ever', () => {
    const found = {
      spongebob: answered(spongebob()),
      thrifty: answered(thrifty()),
      default: answered(),
      thorough: answered(thorough()),
    }
    console.log('answers in view, of', questions.length, found)
    expect(found.spongebob).toBeLessThanOrEqual(2)
    expect(found.default).toBeGreaterThanOrEqual(10)
    expect(found.thorough).toBeGreaterThanOrEqual(14)
  })

  it('has all that the last message needs: facts of turns 9 and 58, and what was done last', () => {
    const { receipt } = fit(chat, { window: 4096, reserve: 512 })
    expect([20, 170, 517].map(place => receipt.entries[place]!.fate)).toEqual([
      'recalled',
      'recalled',
      'kept',
    ])
  })
})
