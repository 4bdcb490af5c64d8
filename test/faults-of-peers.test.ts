import { type FitOptions, fit, spongebob } from 'throughline'
import { assistant, round, system, user, words } from 'throughline/testing'
import { o200k } from 'throughline/tokens/o200k'
import { describe, expect, it } from 'vitest'

/** What other libraries were seen to do wrong. One test each, on every policy that could repeat it. */
const options = (window: number, rest: Partial<FitOptions> = {}): FitOptions => ({
  window,
  count: words(),
  ...rest,
})
const policies = [{}, { policy: spongebob() }]

describe.each(policies)('%j', policy => {
  it('the newest question is never dropped, and never dropped in silence', () => {
    const chat = [system('Be brief.'), user('hello'), assistant('hi'), user('data '.repeat(500))]
    expect(() => fit(chat, options(100, policy))).toThrow(/needs \d+ tokens, but 100 are free/)
    expect(() => fit(chat, options(100, { ...policy, overflow: 'trim' }))).toThrow(/latest 500/)
  })

  it('a system prompt that is too large by itself is an error with figures, not [undefined]', () => {
    const chat = [system('rule '.repeat(300)), user('hello')]
    for (const overflow of ['error', 'trim'] as const)
      expect(() => fit(chat, options(100, { ...policy, overflow }))).toThrow(/system 300/)
  })

  it('the message of the caller is not changed by cutting its text', () => {
    const long = user('word '.repeat(500))
    const copy = structuredClone(long)
    const { messages } = fit([long, user('Go on.')], options(50, { ...policy, overflow: 'trim' }))
    expect(messages[0]).not.toBe(long)
    expect(long).toEqual(copy)
  })

  it('an agent sees its latest tool result, whatever else goes', () => {
    const chat = [
      user('go'),
      ...Array.from({ length: 40 }, (_, n) =>
        round('run', `output ${n} ${'x '.repeat(20)}`),
      ).flat(),
    ]
    const { messages } = fit(chat, options(120, policy))
    expect(messages.at(-1)).toBe(chat.at(-1))
    expect(messages[0]).toBe(chat[0])
  })

  it('what is kept of the recent past has no holes', () => {
    const chat = [
      user('go'),
      ...Array.from({ length: 60 }, (_, n) => [
        assistant(`a ${'x '.repeat(n % 9)}`),
        user(`b ${'y '.repeat(n % 7)}`),
      ]).flat(),
    ]
    const { receipt } = fit(chat, options(150, policy))
    const kept = receipt.entries
      .filter(entry => entry.fate === 'kept' && entry.seq > 0)
      .map(entry => entry.seq)
    // Something had to go, something could stay, and what stayed ends with the newest message.
    expect(kept.length).toBeGreaterThan(5)
    expect(kept.length).toBeLessThan(chat.length - 1)
    expect(kept.at(-1)).toBe(chat.length - 1)
    for (const [n, seq] of kept.slice(1).entries()) expect(seq).toBe(kept[n]! + 1)
  })

  it('tool schemas and system prompt are counted', () => {
    const tools = [
      { type: 'function', function: { name: 'read', description: 'word '.repeat(200) } },
    ]
    expect(() => fit([user('hello')], options(100, { ...policy, tools }))).toThrow(/tools \d{3}/)
  })

  it('an image in base64 costs what an image costs', () => {
    const url = `data:image/png;base64,${'iVBORw0KGgo'.repeat(20_000)}`
    const chat = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }]
    expect(fit(chat, { ...policy, window: 4096, count: o200k() }).tokens).toBeLessThan(800)
  })
})
