import { growth, notLinear } from '@throughline/test-tools/growth'
import { fit } from 'throughline'
import { assistant, calls, note, result, user, words } from 'throughline/testing'
import { expect, it } from 'vitest'

/** One unit with very many messages in it: reading and sending it is linear in them. */
const fitted = (messages: () => readonly object[]) =>
  fit(messages() as never, { window: 1_000_000, count: words() }).messages.length

it('sends one reply with thousands of notes in linear time', () => {
  const make = (size: number) => () => [
    user('Add a footer.'),
    assistant('Done.'),
    ...Array.from({ length: size }, (_, n) => note(`step ${n}`)),
    user('Make it blue.'),
  ]
  expect(fitted(make(3))).toBe(3)
  expect(growth(make, fitted, { size: 400 })).toBeLessThan(notLinear)
})

it('leaves out thousands of results that answer no call in linear time', () => {
  const make = (size: number) => () => [
    user('Look.'),
    calls('read'),
    result('read', 'the file'),
    ...Array.from({ length: size }, (_, n) => result('nobody', `stray ${n}`)),
    user('And now?'),
  ]
  expect(fitted(make(3))).toBe(4)
  expect(growth(make, fitted, { size: 500 })).toBeLessThan(notLinear)
})
