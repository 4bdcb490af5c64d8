import { describe, expect, it } from 'vitest'
import { assistant, calls, note, result, round, system, user } from '../../testing/builders.ts'
import { words } from '../../tokens/words.ts'
import { type FitOptions, fit } from '../fit.ts'
import { spongebob } from './spongebob.ts'

const marker = '[Several conversation turns removed to conserve context.]'
const harry = [
  user("You're a test, Harry!"),
  assistant("I-I'm a what?"),
  user("A test. And a thumping good one at that, I'd wager."),
]

const options = (window: number, rest: Partial<FitOptions> = {}): FitOptions => ({
  window,
  policy: spongebob(),
  count: words(),
  ...rest,
})
const texts = (messages: readonly { content?: unknown }[]) =>
  messages.map(message => message.content).join(' ')

describe('spongebob, the document of S3', () => {
  it('keeps the first user message, a marker and the latest message when nothing else fits', () => {
    const { messages, receipt } = fit(harry, options(1, { overflow: 'keep' }))
    expect(texts(messages)).toBe(
      "You're a test, Harry! [Several conversation turns removed to conserve context.] A test. And a thumping good one at that, I'd wager.",
    )
    expect(messages[1]).toEqual({ role: 'system', content: marker })
    expect(receipt.over).toBe(receipt.tokens - 1)
  })

  it('changes nothing and adds no marker when all fits', () => {
    const { messages, receipt } = fit(harry, options(64))
    expect(messages).toEqual(harry)
    expect(messages.every((message, index) => message === harry[index])).toBe(true)
    expect(receipt.sent.map(({ seqs }) => seqs)).toEqual(harry.map((_, seq) => [seq]))
  })

  it('moves a system message out of order to the front', () => {
    const [first, second, third] = harry
    const { messages } = fit(
      [first!, second!, system('You are the Test Who Lived.'), third!],
      options(64),
    )
    expect(texts(messages)).toBe(
      "You are the Test Who Lived. You're a test, Harry! I-I'm a what? A test. And a thumping good one at that, I'd wager.",
    )
  })

  it('keeps all system messages, wherever they stand, at every window', () => {
    const chat = [
      system('s one'),
      user('a b c'),
      assistant('d e f'),
      system('s two'),
      user('g h'),
      assistant('i'),
      user('j'),
    ]
    const { messages } = fit(chat, options(1, { overflow: 'keep' }))
    expect(
      messages.filter(message => message.role === 'system').map(message => message.content),
    ).toEqual(['s one', 's two', marker])
  })

  it('fills with the longest contiguous run of the most recent: one more message would exceed the limit', () => {
    const chat = [
      user('first'),
      ...Array.from({ length: 40 }, (_, n) => [assistant(`a${n} b c`), user(`u${n} d`)]).flat(),
    ]
    for (let window = 12; window < 120; window++) {
      const { messages, tokens } = fit(chat, options(window))
      expect(tokens).toBeLessThanOrEqual(window)
      const kept = chat.length - (messages.length - 2)
      const next = chat[kept - 1]!.content.split(' ').length
      expect(tokens + next).toBeGreaterThan(window)
      expect(messages.slice(2)).toEqual(chat.slice(kept))
    }
  })

  it('reuses a marker that the input already carries: never two', () => {
    const chat = [
      user('first'),
      assistant('a b c d e f g h'),
      user('more'),
      assistant('i j k l m'),
      user('last'),
    ]
    const once = fit(chat, options(14)).messages
    const twice = fit([...once, assistant('n o p'), user('again')], options(14)).messages
    expect(twice.filter(message => message.content === marker)).toHaveLength(1)
    expect(twice[1]).toBe(once[1])
  })

  it('counts an image as 768 tokens', () => {
    const picture = { ...user('look at this'), images: ['aGVsbG8='] }
    const chat = [user('first'), picture, assistant('nice'), user('last')]
    expect(fit(chat, options(768)).messages).not.toContain(picture)
    expect(fit(chat, options(774)).messages).toContain(picture)
  })

  it('sends a message once that is both the first and the latest', () => {
    const only = user('hello')
    expect(fit([only], options(8)).messages).toEqual([only])
    expect(fit([system('s'), only], options(8)).messages).toHaveLength(2)
  })

  it('tells messages apart by identity, never by their text', () => {
    const chat = [
      user('continue'),
      assistant('one two three four five six seven eight'),
      user('continue'),
    ]
    const { messages } = fit(chat, options(9))
    expect(messages).toEqual([
      user('continue'),
      { role: 'system', content: marker },
      user('continue'),
    ])
    expect(messages[0]).toBe(chat[0])
    expect(messages[2]).toBe(chat[2])
  })

  it('gives nothing for nothing', () => {
    const { messages, tokens, receipt } = fit([], options(8))
    expect({ messages, tokens, entries: receipt.entries }).toEqual({
      messages: [],
      tokens: 0,
      entries: [],
    })
  })

  it('never changes its input', () => {
    const chat = [
      system('s'),
      user('first'),
      ...round('read', 'x y z'),
      assistant('a'),
      system('t'),
      user('last'),
    ]
    const copy = structuredClone(chat)
    const frozen = chat.map(message => Object.freeze(message))
    fit(Object.freeze(frozen), options(14))
    expect(chat).toEqual(copy)
  })

  it('keeps the first *user* message, not the first message', () => {
    const chat = [
      assistant('Hello, how can I help you today?'),
      user('goal'),
      assistant('a b c d e f g'),
      user('last'),
    ]
    const { messages } = fit(chat, options(12))
    expect(messages.map(message => message.content)).toEqual(['goal', marker, 'last'])
  })

  it('never sends everything when the kept part does not fit', () => {
    const chat = [
      user('w '.repeat(100)),
      ...Array.from({ length: 30 }, () => assistant('x y z')),
      user('v '.repeat(60)),
    ]
    expect(() => fit(chat, options(20))).toThrow(/needs 167 tokens, but 20 are free/)
    expect(fit(chat, options(20, { overflow: 'keep' })).messages).toHaveLength(3)
    expect(fit(chat, options(90, { overflow: 'trim' })).tokens).toBeLessThanOrEqual(90)
  })

  it('never sends a tool result without its call, nor a call without its result', () => {
    const chat = [
      user('first'),
      calls('read', 'list'),
      result('read', 'r r r'),
      result('list', 'l l'),
      user('last'),
    ]
    for (let window = 9; window < 20; window++) {
      const roles = fit(chat, options(window)).messages.map(message => message.role)
      expect([
        ['user', 'system', 'user'],
        ['user', 'assistant', 'tool', 'tool', 'user'],
      ]).toContainEqual(roles)
    }
  })

  it('keeps room for the reply', () => {
    expect(fit(harry, options(64, { reserve: 42 })).tokens).toBeLessThanOrEqual(22)
    expect(() => fit(harry, options(64, { reserve: 60 }))).toThrow(
      /4 are free \(window 64, reserve 60\)/,
    )
  })

  it('says of everything it left out that it did', () => {
    const chat = [user('first'), assistant('a b c d e f g h'), note('remember'), user('last')]
    const { receipt } = fit(chat, options(11))
    expect(receipt.entries[1]).toMatchObject({
      fate: 'omitted',
      rule: 'spongebob',
      why: 'older than what fits',
    })
    expect(receipt.entries.map(entry => entry.fate)).toEqual(['kept', 'omitted', 'omitted', 'kept'])
  })

  it('keeps an agent going that has one user message and sixty rounds', () => {
    const chat = [
      user('do it all'),
      ...Array.from({ length: 60 }, (_, n) => round('run', `output ${n} x y z`)).flat(),
    ]
    const { messages } = fit(chat, options(60))
    expect(messages[0]).toBe(chat[0])
    expect(messages.at(-1)).toBe(chat.at(-1))
    expect(messages.length).toBeGreaterThan(10)
  })
})
