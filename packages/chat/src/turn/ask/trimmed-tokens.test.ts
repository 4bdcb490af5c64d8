import { fit } from '@throughline/core/context'
import { expect, it } from 'vitest'
import { trimmedTokens } from './trimmed-tokens.ts'

const messages = Array.from({ length: 20 }, (_, n) => ({
  role: n % 2 === 0 ? 'user' : 'assistant',
  content: `Message ${n} about apples and pears.`,
}))

it('reads only the stretches of a receipt where nothing was cut', () => {
  const { receipt } = fit(messages, { window: 4096 })
  const read = new Set<unknown>()
  const watched = new Proxy(receipt, {
    get(target, name) {
      read.add(name)
      return Reflect.get(target, name, target)
    },
  })
  expect(trimmedTokens(watched)).toBe(0)
  expect([...read]).toEqual(['stretches'])
})

it('counts what was cut from a message that must be sent', () => {
  const long = [{ role: 'user', content: 'apples and pears '.repeat(2000) }, ...messages]
  const { receipt } = fit(long, { window: 1024, overflow: 'trim' })
  expect(trimmedTokens(receipt)).toBeGreaterThan(1000)
})
