import { assistant, result, system, type TestMessage, user } from '@throughline/core/testing'
import { describe, expect, it } from 'vitest'
import type { ToolSpec } from '../model.ts'
import { answer, type FullReply } from './answer.ts'

const numbers = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } }
const tools: readonly ToolSpec[] = [
  { name: 'add', parameters: { ...numbers, required: ['a', 'b'] } },
  { name: 'get_time', parameters: { type: 'object', properties: {} } },
  {
    name: 'generate_hypotheses',
    parameters: { type: 'object', properties: { url: { type: 'string' } }, required: ['url'] },
  },
  {
    name: 'search',
    parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  },
]

const callsOf = ({ calls }: FullReply) => calls.map(call => [call.name, JSON.parse(call.arguments)])
const called = (text: string) => callsOf(answer([user(text)], tools))

/** Goes on as a chat would: calls, results, until the reader answers with a text. */
function play(text: string, reduce = (messages: TestMessage[]) => messages) {
  const rounds: unknown[] = []
  let messages: TestMessage[] = [user(text)]
  for (let round = 0; round < 100; round++) {
    const reply = answer(messages, tools)
    if (reply.calls.length === 0) return { rounds, text: reply.text }
    rounds.push(callsOf(reply))
    const made = reply.calls.map(call => ({
      function: { name: call.name, arguments: JSON.parse(call.arguments) },
    }))
    const results = reply.calls.map(({ name }, index) =>
      result(name, `result ${rounds.length}.${index + 1}`),
    )
    messages = reduce([
      ...messages,
      { role: 'assistant', content: '', tool_calls: made },
      ...results,
    ])
  }
  throw new Error('no end')
}

describe('a call that is spelled out', () => {
  it.each([
    ['call add with {"a":1,"b":2}', { a: 1, b: 2 }],
    ['Please use add {"a":1,"b":2}.', { a: 1, b: 2 }],
    ['add({"a":1,"b":2})', { a: 1, b: 2 }],
    ['run add( {"a":-1.5,"b":[1,2]} )', { a: -1.5, b: [1, 2] }],
    ['call add', {}],
    ['add()', {}],
  ])('is made: %s', (text, expected) => {
    expect(called(text)).toEqual([['add', expected]])
  })

  it.each([
    { task: 'call add with {"a":1,"b":2}' },
    { task: 'First call add with {"a": 1, "b": 2}, then rest.', other: { note: '}"' } },
    { task: JSON.stringify({ inner: 'call add with {"a":1,"b":2}' }) },
    { a: 'say "hi"', task: 'call add({"a":1,"b":2})' },
  ])('is made where a text of JSON holds it: %j', environment => {
    expect(called(`Step 1. Current Environment: ${JSON.stringify(environment)}`)).toEqual([
      ['add', { a: 1, b: 2 }],
    ])
  })

  it('is made once for each that a text of JSON holds', () => {
    const task = 'call add with {"a":1,"b":2} and search {"query":"a \\"b\\" {"} then get_time()'
    expect(play(JSON.stringify({ task })).rounds).toEqual([
      [
        ['add', { a: 1, b: 2 }],
        ['search', { query: 'a "b" {' }],
      ],
      [['get_time', {}]],
    ])
  })

  it('keeps strings, brackets in strings and null', () => {
    expect(called('search({"query":"a, b) {c","exact":null})')).toEqual([
      ['search', { query: 'a, b) {c', exact: null }],
    ])
    expect(called('call get_time with {}')).toEqual([['get_time', {}]])
  })

  it('is refused when it cannot be read, or when there is no such tool', () => {
    expect(answer([user('call add with {"a":}')], tools)).toEqual({
      calls: [],
      text: 'I cannot read the arguments for add: they are no JSON object.',
    })
    expect(answer([user('add(1, 2)')], tools).calls).toEqual([])
    expect(answer([user('call fly with {}')], tools).text).toBe('I was given no tool named "fly".')
    expect(answer([user('call add with {}')]).text).toBe('I was given no tool named "add".')
  })
})

it('makes no call of a tool that is only named in passing', () => {
  expect(called('Did you generate_hypotheses?')).toEqual([])
  expect(called('My search is over.')).toEqual([])
})

describe('several calls', () => {
  it('joined by "and" are one round, by "then" or by lines one after the other', () => {
    expect(play('add({"a":1,"b":2}) and add({"a":3,"b":4})').rounds).toEqual([
      [
        ['add', { a: 1, b: 2 }],
        ['add', { a: 3, b: 4 }],
      ],
    ])
    const inTurn = [[['add', { a: 1, b: 2 }]], [['get_time', {}]]]
    expect(play('add({"a":1,"b":2}), then get_time()').rounds).toEqual(inTurn)
    expect(play('add({"a":1,"b":2})\nget_time()').rounds).toEqual(inTurn)
    expect(play('add({"a":1,"b":2}) then add({"a":1,"b":2})').rounds).toHaveLength(2)
  })

  it('end with what the last round said', () => {
    expect(play('add({"a":1,"b":2}) and get_time()').text).toBe(
      'add said: "result 1.1". get_time said: "result 1.2".',
    )
    expect(play('add({"a":1,"b":2}) then get_time()').text).toBe(
      'I made 2 calls. get_time said: "result 2.1".',
    )
  })

  it('quote at most 200 characters', () => {
    const messages = [user('get_time()'), ...roundOf('get_time', {}, 'x'.repeat(500))]
    expect(answer(messages, tools).text).toBe(`get_time said: "${'x'.repeat(199)}…".`)
  })
})

const roundOf = (name: string, given: Record<string, unknown>, content: string): TestMessage[] => [
  { role: 'assistant', content: '', tool_calls: [{ function: { name, arguments: given } }] },
  result(name, content),
]

describe('a long loop', () => {
  const loop = 'repeat 60 times: add({"a":$i,"b":1})'

  it('makes one call a round, and ends', () => {
    const { rounds, text } = play(loop)
    expect(rounds).toEqual(
      Array.from({ length: 60 }, (_, index) => [['add', { a: index + 1, b: 1 }]]),
    )
    expect(text).toBe('I made 60 calls. add said: "result 60.1".')
  })

  it('goes on where it was when older rounds were cut from its context', () => {
    const lastRound = ([first, ...rest]: TestMessage[]) => [first!, ...rest.slice(-2)]
    expect(play(loop, lastRound).rounds).toHaveLength(60)
  })

  it('goes by the journal when calls are all alike', () => {
    const journal = user(
      '[Actions so far in this turn:]\n(... and 1 earlier action)\n2. [get_time] → noon',
    )
    const messages = [
      user('repeat 4 times: get_time()'),
      journal,
      ...roundOf('get_time', {}, 'noon'),
    ]
    expect(callsOf(answer(messages, tools))).toEqual([['get_time', {}]])
    expect(answer([...messages, ...roundOf('get_time', {}, 'one')], tools).text).toBe(
      'I made 4 calls. get_time said: "one".',
    )
  })

  it('begins anew with a new message', () => {
    const before = [
      user('add({"a":1,"b":2})'),
      ...roundOf('add', { a: 1, b: 2 }, '3'),
      assistant('add said: "3".'),
    ]
    expect(callsOf(answer([...before, user('add({"a":1,"b":2})')], tools))).toEqual([
      ['add', { a: 1, b: 2 }],
    ])
  })
})

describe('without tools', () => {
  it('results are reported all the same', () => {
    expect(
      answer([system('Be kind.'), user('Go on.'), ...roundOf('look', {}, 'a door')]).text,
    ).toBe('look said: "a door".')
  })
})
