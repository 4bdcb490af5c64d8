import { fit } from '@throughline/core/context'
import { words } from '@throughline/core/counters'
import { assistant, system, user } from '@throughline/core/testing'
import { describe, expect, it } from 'vitest'
import { readCache } from './ask-model.ts'

const said = [
  system('Be kind. '.repeat(50)),
  user('one '.repeat(100)),
  assistant('two '.repeat(100)),
]
const options = { window: 4096, count: words() }
const previous = fit(said.slice(0, 2), options)
const context = fit([...said, user('three')], { ...options, previous })
const { tokens } = context.receipt.prefix!
const read = (usage: object, more: object = {}) =>
  readCache({ context, factor: 1, reply: { usage, details: {} }, isLocal: true, ...more })

describe('readCache', () => {
  it('tells what the server took from its cache', () => {
    expect(read({ promptTokens: context.tokens, cachedTokens: tokens })).toEqual({ cached: tokens })
    expect(read({ promptTokens: context.tokens })).toEqual({})
  })

  it('takes what a server left out of its report for cached', () => {
    const unread = context.tokens - tokens
    expect(read({}, { reported: unread, isPartial: true })).toEqual({ cached: tokens })
  })

  it('says why much less was cached than was the same before', () => {
    expect(read({ cachedTokens: 3 }).cacheLost).toBe('something else used this slot')
    expect(read({ cachedTokens: 120 }).cacheLost).toBe('the prompt changed at message 2')
    const details = { load_duration: 4e9 }
    expect(read({}, { reply: { usage: { cachedTokens: 0 }, details } }).cacheLost).toBe(
      'the model was unloaded',
    )
  })

  it('compares shares, as our counts may be far from the server’s', () => {
    const half = { cachedTokens: tokens / 2 }
    expect(read(half, { reported: context.tokens / 2 })).not.toHaveProperty('cacheLost')
    expect(read(half, { reported: context.tokens })).toHaveProperty('cacheLost')
  })

  it('does not warn where a tenth is missing, at a provider, or where nothing was the same', () => {
    expect(read({ cachedTokens: Math.ceil(tokens * 0.9) })).not.toHaveProperty('cacheLost')
    expect(read({ cachedTokens: 0 }, { isLocal: false })).toEqual({ cached: 0 })
    expect(read({ cachedTokens: 0 }, { context: previous })).toEqual({ cached: 0 })
  })
})
