import {
  balanced,
  createFitter,
  type FitOptions,
  fit,
  type Policy,
  spongebob,
  thorough,
  tiered,
} from 'throughline'
import { dump } from 'throughline/explain'
import { assistant, calls, result, round, system, user, words } from 'throughline/testing'
import { describe, expect, it } from 'vitest'

/** Input that was once taken wrongly: one test for each kind. */
const long = 'word '.repeat(5000)
const options = (window: number, rest: Partial<FitOptions> = {}): FitOptions => ({
  window,
  count: words(),
  ...rest,
})
const aiCall = { type: 'tool-call', toolCallId: 'a', toolName: 'web', input: {} }
const aiResult = (value: string, id = 'a') => ({
  type: 'tool-result',
  toolCallId: id,
  toolName: 'web',
  output: { type: 'text', value },
})
const sent = (messages: readonly object[]) => JSON.stringify(messages)

describe('results inside the message that called', () => {
  const chat = [
    user('q'),
    { role: 'assistant', content: [aiCall, aiResult(long), { type: 'text', text: 'answer' }] },
    user('more'),
  ]

  it('are counted, left out when they do not fit, and shown in the dump', () => {
    expect(sent(fit(chat, options(200)).messages).length).toBeLessThan(1000)
    const { tokens } = fit(chat, options(6000))
    expect(tokens).toBeGreaterThan(5000)
    expect(dump(fit(chat, options(6000)))).toContain('← word word')
  })
})

describe('a message that was changed in place', () => {
  const changes: Readonly<Record<string, (message: Record<string, unknown>) => void>> = {
    content: message => {
      message.content = long
    },
    'the text of a part': message => {
      ;(message.content as { text: string }[])[0]!.text = long
    },
    images: message => {
      message.images = ['a', 'b']
    },
    'the arguments of a call': message => {
      ;(message.tool_calls as { function: { arguments: string } }[])[0]!.function.arguments =
        `{"x":"${long}"}`
    },
  }
  it.each(Object.keys(changes))('is counted again, wherever it stands: %s', name => {
    for (const place of [0, 1, 3]) {
      const changed = {
        role: place === 1 ? 'assistant' : 'user',
        content: name === 'content' ? 'a' : [{ type: 'text', text: 'a' }],
        ...(name.includes('call')
          ? {
              role: 'assistant',
              tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
            }
          : {}),
      }
      const chat: { role: string }[] = [
        user('one'),
        assistant('two'),
        user('three'),
        assistant('four'),
      ]
      chat[place] = changed
      const before = fit(chat, options(100_000)).tokens
      changes[name]!(changed)
      expect(fit(chat, options(100_000)).tokens).toBeGreaterThan(before + 700)
    }
  })

  it('is noticed in a list that shares it with another, and in a fitter', () => {
    const shared = assistant('a')
    const one = [user('one'), shared, user('x')]
    const two = [user('two'), shared, user('y')]
    const prompt = system('s')
    const fitter = createFitter(options(100_000))
    fitter.append(prompt, ...one)
    fit(one, options(100_000))
    fitter.context()
    shared.content = long
    prompt.content = long
    fit(two, options(100_000))
    expect(fit(one, options(100_000)).tokens).toBeGreaterThan(5000)
    expect(fitter.context().tokens).toBeGreaterThan(10_000)
  })

  it('that changes with every look is a typed error, not an endless loop', () => {
    let looks = 0
    const restless = {
      role: 'user',
      get content() {
        looks += 1
        return `a ${looks}`
      },
    }
    expect(() => fit([restless], options(100))).toThrow(/changes while it is read/)
  })
})

describe('order and truth in a long open turn', () => {
  const older = Array.from({ length: 6 }, (_, n) => [
    user(`older question ${n} about sails`),
    assistant(`older answer ${n} in words`),
  ]).flat()
  const rounds = Array.from({ length: 60 }, (_, n) =>
    round('edit', `file ${n} changed in many places`),
  ).flat()
  const chat = [
    user('Plan the regatta.'),
    assistant('ok'),
    ...older,
    user('NOW: refactor the whole site'),
    ...rounds,
  ]

  it('keeps digests before the instruction, and shows the instruction in the dump', () => {
    const context = fit(chat, options(400, { policy: balanced({ digests: 0.2 }) }))
    const texts = context.messages.map(message => String(message.content))
    const digest = texts.findIndex(text => text.startsWith('[Previous: '))
    expect(digest).toBeGreaterThan(0)
    expect(digest).toBeLessThan(texts.indexOf('NOW: refactor the whole site'))
    expect(dump(context)).toContain('=== CURRENT USER MESSAGE ===\nNOW: refactor the whole site')
  })
})

describe('strays and results without text', () => {
  it('recalls the good result of a message that also has a stray one', () => {
    const good = {
      role: 'tool',
      content: [aiResult('the zebra code is 7741'), aiResult('nothing', 'ghost')],
    }
    const talk = Array.from({ length: 60 }, (_, n) => [
      user(`so item ${n} stays grey`),
      assistant(`grey ${n} it is`),
    ]).flat()
    const chat = [
      user('start'),
      { role: 'assistant', content: [aiCall] },
      good,
      assistant('noted'),
      ...talk,
      user('what was the zebra code?'),
    ]
    expect(sent(fit(chat, options(500, { policy: thorough() })).messages)).toContain('7741')
  })

  it('takes an image or nothing at all for a result', () => {
    for (const content of [[{ type: 'image_url', image_url: { url: 'data:x' } }], []]) {
      const call = {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'see', arguments: '{}' } }],
      }
      const { messages } = fit(
        [user('q'), call, { role: 'tool', tool_call_id: 'a', content }, user('next')],
        options(2000),
      )
      expect(messages.map(message => message.role)).toEqual(['user', 'assistant', 'tool', 'user'])
    }
  })
})

describe('one object in several places', () => {
  it('ends several exchanges, each with its own line', () => {
    const ok = assistant('ok')
    const chat = ['alpha', 'beta', 'gamma', 'delta'].flatMap(name => [
      user('go'),
      calls(name),
      result(name, `result ${name}`),
      ok,
    ])
    const lines = sent(
      fit([...chat, user('end')], options(4000, { policy: tiered({ full: 1 }) })).messages,
    )
    for (const name of ['alpha', 'beta', 'gamma'])
      expect(lines).toContain(`${name}() → result ${name}`)
  })
})

describe('bad options', () => {
  it.each<[string, unknown]>([
    ['policy', {}],
    ['policy', spongebob],
    ['policy', { name: 'lost', apply: () => undefined } as unknown as Policy],
    ['pins', 'x'],
    ['count', (text: string) => text.length],
    ['nonce', 'bad nonce]'],
  ])('%s is a typed error: %#', (option, value) => {
    expect(() => fit([user('a')], { window: 100, [option]: value } as FitOptions)).toThrow(
      expect.objectContaining({ code: 'invalid_option', option }),
    )
  })

  it('a list that is none', () => {
    expect(() => fit(null as unknown as [], { window: 100 })).toThrow(/expected a list/)
  })
})

describe('the shared prefix', () => {
  it('is nothing when the system prompt or the tools changed', () => {
    const chat = [user('a'), assistant('b'), user('c')]
    const before = fit([system('one'), ...chat], options(100))
    expect(
      fit([system('two'), ...chat], options(100, { previous: before })).receipt.prefix?.tokens,
    ).toBe(0)
    const tools = [{ name: 'read' }]
    expect(
      fit([system('one'), ...chat], options(100, { previous: before, tools })).receipt.prefix
        ?.tokens,
    ).toBe(0)
    expect(
      fit([system('one'), ...chat], options(100, { previous: before })).receipt.prefix?.share,
    ).toBe(1)
  })

  it('takes messages with fields that cannot be JSON', () => {
    const fitter = createFitter(options(100))
    fitter.append({ role: 'user', content: 'a', id: 1n })
    fitter.context()
    fitter.append(
      { role: 'assistant', content: 'b', id: 2n },
      { role: 'user', content: 'c', id: 3n },
    )
    expect(fitter.context().receipt.prefix?.tokens).toBe(1)
  })
})

describe('markers and cuts', () => {
  it('never gives two markers, wherever the first one stands', () => {
    const marker = '[Several conversation turns removed to conserve context.]'
    const chat = [
      user('first'),
      system('the date is Monday'),
      system(marker),
      ...Array.from({ length: 30 }, (_, n) => [assistant(`a ${n} b c`), user(`d ${n} e f`)]).flat(),
    ]
    for (const policy of [spongebob(), balanced()]) {
      const { messages } = fit(chat, options(80, { policy }))
      expect(messages.filter(message => message.content === marker)).toHaveLength(1)
    }
  })

  it('are visible, or it is an error', () => {
    const chat = [user('w '.repeat(50)), assistant('x '.repeat(50)), user('y '.repeat(50))]
    expect(() => fit(chat, options(10, { overflow: 'trim' }))).toThrow(/Even cut texts do not fit/)
  })
})
