import { growth, notLinear } from '@throughline/test-tools/growth'
import { type FitOptions, fit, type MessageLike } from 'throughline'
import { assistant, user, words } from 'throughline/testing'
import { expect, it } from 'vitest'

/** Conversations that once took time with the square of their size. */
const many = <T>(size: number, make: (n: number) => T): T[] =>
  Array.from({ length: size }, (_, n) => make(n))
const call = (n: number) => ({
  id: `c${n}`,
  type: 'function',
  function: { name: 'read', arguments: '{}' },
})
const result = (n: number) => ({ role: 'tool', tool_call_id: `c${n}`, content: `result ${n}` })
const assistantCall = (n: number) => ({ role: 'assistant', content: '', tool_calls: [call(n)] })
const unchanged = (n: number) => ({ ...result(n), content: 'File unchanged since your last Read.' })
const longResult = (n: number) => ({ ...result(n), content: `result ${n} ${'word '.repeat(100)}` })
const sdkCall = (n: number) => ({
  type: 'tool-call',
  toolCallId: `c${n}`,
  toolName: 'read',
  input: {},
})
const sdkResult = (n: number) => ({
  type: 'tool-result',
  toolCallId: `c${n}`,
  toolName: 'read',
  output: { type: 'text', value: `result ${n} ${'word '.repeat(60)}` },
})

const cases: Readonly<
  Record<
    string,
    {
      readonly size: number
      readonly options?: Partial<FitOptions>
      make(n: number): MessageLike[]
    }
  >
> = {
  'user messages in a row': {
    size: 400,
    options: { shape: 'alternating' },
    make: size => many(size, n => user(`question ${n}`)),
  },
  'replies in a row': {
    size: 400,
    options: { shape: 'alternating' },
    make: size => [user('q'), ...many(size, n => assistant(`answer ${n}`))],
  },
  'system messages in a row': {
    size: 400,
    options: { shape: 'alternating' },
    make: size => [...many(size, n => ({ role: 'system', content: `rule ${n}` })), user('q')],
  },
  'system messages between questions that are cut': {
    size: 400,
    options: { overflow: 'trim' },
    make: size =>
      many(size, n => (n % 4 ? user(`question ${n}`) : { role: 'system', content: `rule ${n}` })),
  },
  'results in one message that are cut': {
    size: 100,
    options: { overflow: 'trim' },
    make: size => [
      user('q'),
      { role: 'assistant', content: many(size, sdkCall) },
      { role: 'tool', content: many(size, sdkResult) },
    ],
  },
  'calls with results in the opposite order': {
    size: 500,
    make: size => [
      user('q'),
      { role: 'assistant', content: '', tool_calls: many(size, call) },
      ...many(size, result).reverse(),
      user('more'),
    ],
  },
  'results that say that earlier ones still hold': {
    size: 200,
    make: size => [
      user('q'),
      ...many(size, n => [assistantCall(n), unchanged(n)]).flat(),
      user('more'),
    ],
  },
  'long results of calls that are made again': {
    size: 50,
    options: { overflow: 'trim' },
    make: size => [
      user('q'),
      ...many(size, n => [assistantCall(n), longResult(n)]).flat(),
      user('more'),
    ],
  },
  'calls without results': {
    size: 500,
    make: size => [
      user('q'),
      { role: 'assistant', content: '', tool_calls: many(size, call) },
      user('more'),
    ],
  },
  'results that answer no call': {
    size: 500,
    make: size => [
      user('q'),
      { role: 'assistant', content: '', tool_calls: [call(-1)] },
      ...many(size, result),
      user('more'),
    ],
  },
  'results in one message that answer no call': {
    size: 500,
    make: size => [
      user('q'),
      { role: 'assistant', content: [sdkCall(-1)] },
      { role: 'tool', content: [sdkResult(-1), ...many(size, sdkResult)] },
      user('more'),
    ],
  },
}

it.each(Object.keys(cases))('fits in time that grows with its size: %s', name => {
  const { size, options, make } = cases[name]!
  const work = (messages: readonly MessageLike[]) => {
    // New objects each time: nothing is remembered of the fit before.
    const fresh = structuredClone(messages) as MessageLike[]
    const window = options?.overflow === 'trim' ? JSON.stringify(messages).length >> 4 : 1_000_000
    return fit(fresh, { window, count: words(), ...options }).receipt.entries.length
  }
  expect(growth(make, work, { size })).toBeLessThan(notLinear)
})
