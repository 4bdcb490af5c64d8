import { describe, expect, it } from 'vitest'
import { assistant, system, user } from '../../testing/builders.ts'
import { estimate } from '../../tokens/estimate.ts'
import { digestExchange } from '../digests/index.ts'
import { type FitOptions, fit } from '../fit.ts'
import { tiered } from './tiered.ts'

/** A lamp program of about 400 tokens. */
const program = (name: string, colour = '#1A1A2E') =>
  JSON.stringify({
    program: {
      name,
      steps: ['solid', 'pulse', 'sparkle', 'breathing'].map((pattern, id) => ({
        id,
        command: {
          type: 'pattern',
          name: pattern,
          params: { color: colour, speed: 0.5, brightness: 200 },
        },
        duration: 1500,
      })),
      loop: { count: 0, start_step: 0, end_step: 3 },
      on_complete: { command: { type: 'stop' } },
    },
  })

const lamp = (exchanges: number) => [
  system('You drive a lamp of 172 LEDs. Answer with a JSON program. '.repeat(100)),
  ...Array.from({ length: exchanges }, (_, n) => [
    user(`make it scene ${n}`),
    assistant(program(`scene ${n}`)),
  ]).flat(),
  user('a little slower'),
]

const run = (exchanges: number, options: Partial<FitOptions> = {}, policy = tiered()) =>
  fit(lamp(exchanges), { window: 8192, policy, ...options })

const lines = (messages: readonly { content?: unknown }[]) =>
  messages.map(message => String(message.content)).filter(text => text.startsWith('[Previous: '))
const programs = (messages: readonly { content?: unknown }[]) =>
  messages.filter(message => String(message.content).startsWith('{"program"'))

describe('tiered, the document of S1', () => {
  it('sends an older exchange as one line', () => {
    const [first] = lines(run(4).messages)
    expect(first).toBe(
      '[Previous: "make it scene 0" → scene 0, 4 steps: solid(#1A1A2E) → pulse(#1A1A2E) → sparkle(#1A1A2E) → breathing(#1A1A2E), infinite loop]',
    )
  })

  it.each([
    [1, 0, 1],
    [2, 0, 2],
    [3, 1, 2],
    [4, 2, 2],
    [10, 8, 2],
  ])('%i stored exchanges: %i summarised, %i full', (stored, summarised, full) => {
    const { messages, receipt } = run(stored)
    expect(lines(messages)).toHaveLength(summarised)
    expect(programs(messages)).toHaveLength(full)
    expect(receipt.parts.marker).toBe(0)
  })

  it('sends system, lines, full exchanges and the new message, in this order', () => {
    const chat = lamp(4)
    const { messages } = fit(chat, { window: 8192, policy: tiered() })
    expect(messages.map(message => message.role)).toEqual([
      'system',
      'user', // the line of the first exchange, with all of the first user message
      'user',
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ])
    expect(messages.slice(3)).toEqual(chat.slice(5))
  })

  it('sends the first exchange once: as its line, which has all of the first user message', () => {
    const { messages, receipt } = run(4)
    expect(
      messages.filter(({ content }) => String(content).includes('make it scene 0')),
    ).toHaveLength(1)
    expect(receipt.entries[1]).toMatchObject({
      fate: 'altered',
      rule: 'tiered',
      why: 'the line of its exchange quotes it whole',
    })
  })

  it('does not repeat a long first message in the line of its answer', () => {
    const chat = lamp(4).with(1, user('make it scene 0, and then\nwait for the next storm'))
    const { messages } = fit(chat, { window: 8192, policy: tiered() })
    expect(messages[1]).toBe(chat[1])
    expect(messages[2]!.content).toMatch(/^\[Previous: "…" → scene 0, 4 steps/)
  })

  it('counts what is being worked on as one of max', () => {
    const small = Array.from({ length: 12 }, (_, n) => [
      user(`and ${n}?`),
      assistant('Yes.'),
    ]).flat()
    const chat = [...lamp(3).slice(0, -1), ...small, user('slower')]
    const { messages } = fit(chat, { window: 8192, policy: tiered({ max: 6 }) })
    expect(programs(messages)).toHaveLength(1)
    expect(lines(messages)).toHaveLength(3)
  })

  it('answers each line with (acknowledged) where the provider needs alternation', () => {
    const { messages } = run(4, { shape: 'alternating' })
    const roles = messages.map(message => message.role)
    expect(roles).toEqual([
      'system',
      ...Array.from({ length: 9 }, (_, n) => (n % 2 ? 'assistant' : 'user')),
    ])
    const at = messages.findIndex(message => String(message.content).startsWith('[Previous: '))
    expect(messages[at + 1]).toEqual({ role: 'assistant', content: '(acknowledged)' })
  })

  it('pushes the oldest out with the 11th exchange when max is 10', () => {
    const { messages, receipt } = run(11, {}, tiered({ max: 10 }))
    expect(lines(messages)).toHaveLength(8)
    expect(lines(messages)[0]).toContain('"make it scene 1"')
    expect(receipt.parts.marker).toBeGreaterThan(0)
    expect(receipt.entries[2]).toMatchObject({ role: 'assistant', fate: 'omitted' })
  })

  it('holds ten exchanges in 4096 with 400 for the reply, and twenty and more in 8192', () => {
    const small = run(10, { window: 4096, reserve: 400 })
    expect(lines(small.messages)).toHaveLength(8)
    expect(small.tokens).toBeLessThanOrEqual(3696)
    const large = run(24, { window: 8192, reserve: 400 })
    expect(lines(large.messages)).toHaveLength(22)
  })

  it('lets the window decide how many lines there are: the oldest go first, and the marker says so', () => {
    const { messages, receipt } = run(60, { window: 4096, reserve: 400 })
    const kept = lines(messages)
    expect(kept.length).toBeGreaterThan(8)
    expect(kept.length).toBeLessThan(58)
    expect(kept.at(-1)).toContain('scene 57')
    expect(receipt.sent.some(({ part }) => part === 'marker')).toBe(true)
  })

  it('sends the current program in full, however long ago it was made', () => {
    const chat = [
      ...lamp(3).slice(0, -1),
      ...Array.from({ length: 6 }, (_, n) => [
        user(`what is wave ${n}?`),
        assistant('A pattern that travels.'),
      ]).flat(),
      user('make it slower'),
    ]
    const { messages } = fit(chat, { window: 8192, policy: tiered() })
    expect(programs(messages)).toHaveLength(1)
    expect(messages).toContain(chat[6])
  })

  it('takes digesters of the user', () => {
    const policy = tiered({
      full: 1,
      digesters: [() => undefined, () => 'a scene'],
      isCurrent: () => false,
    })
    const { messages } = run(3, {}, policy)
    expect(messages.map(message => message.content)).toContain(
      '[Previous: "make it scene 1" → a scene]',
    )
  })

  it('says of every digested message which rule did it', () => {
    const { receipt } = run(4)
    expect(receipt.entries[2]).toMatchObject({
      fate: 'digested',
      rule: 'tiered',
      why: 'older than the last 2 exchanges',
    })
    expect(receipt.counts).toMatchObject({ digested: 3, omitted: 0 })
  })

  it('leaves the history alone: a failed request loses nothing', () => {
    const chat = lamp(4)
    const before = structuredClone(chat)
    expect(() => fit(chat, { window: 100, policy: tiered() })).toThrow(/needs/)
    expect(chat).toEqual(before)
  })

  it('counts an exchange only when it is answered', () => {
    const answered = lamp(4).slice(0, -1)
    expect(lines(fit(answered, { window: 8192, policy: tiered() }).messages)).toHaveLength(2)
  })

  it('makes the same line as digestExchange', () => {
    const [, , , request, answer] = lamp(3)
    const exchange = {
      request: request!.content,
      messages: [
        {
          role: 'assistant',
          dialect: 'ollama',
          text: answer!.content,
          thinking: '',
          calls: [],
          results: [],
          media: 0,
          unknown: '',
        },
      ],
    } as const
    expect(lines(run(4).messages)[1]).toBe(digestExchange(exchange))
  })

  it('measures the budget instead of assuming it', () => {
    const { messages, tokens } = run(10, { window: 4096, reserve: 400 })
    const count = estimate()
    expect(tokens).toBeGreaterThan(
      messages.reduce((sum, message) => sum + count.text(String(message.content)), 0),
    )
  })
})
