import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withReply } from './calibrate.ts'
import { isCalibration } from './calibration.ts'
import { likelyReply, replyReserve } from './reply-reserve.ts'

describe('replyReserve', () => {
  it.each([
    // A client that asks for 32,000 does not get half of the window.
    [{ window: 32_768, head: 0, asked: 32_000 }, 4096, 'an eighth of the window'],
    [{ window: 32_768, head: 0 }, 4096, 'an eighth of the window'],
    [{ window: 32_768, head: 0, asked: 300 }, 300, 'the most that was asked for'],
    // What Claude Code brings: 23,400 tokens of system prompt and tools, which are rounded up to 24,576.
    [
      { window: 32_768, head: 23_400, asked: 32_000 },
      2048,
      'a quarter of what system prompt and tools leave',
    ],
    [
      { window: 32_768, head: 23_400, asked: 32_000, likely: 8192 },
      4096,
      'as long as the longest reply',
    ],
    [
      { window: 32_768, head: 500, asked: 32_000, likely: 8192 },
      8192,
      'as long as the longest reply',
    ],
    [{ window: 32_768, head: 500, asked: 6000, likely: 8192 }, 6000, 'the most that was asked for'],
    [{ window: 32_768, head: 0, likely: 2 ** 20 }, 16_384, 'as long as the longest reply'],
    [
      { window: 4096, head: 9000, asked: 100 },
      0,
      'a quarter of what system prompt and tools leave',
    ],
    [{ window: 1, head: 0 }, 0, 'an eighth of the window'],
  ])('of %j is %i', (expected, reserve, why) => {
    expect(replyReserve(expected)).toEqual({ reserve, why: expect.stringContaining(why) })
  })

  it('does not move with a dated prompt', () => {
    const reserves = Array.from({ length: 1000 }, (_, n) =>
      replyReserve({ window: 32_768, head: 23_000 + n, asked: 32_000 }),
    )
    expect(new Set(reserves.map(({ reserve }) => reserve))).toEqual(new Set([2048]))
  })

  it('leaves more than half of what the head leaves', () => {
    const some = fc.nat(200_000)
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200_000 }),
        some,
        some,
        fc.option(some, { nil: undefined }),
        (window, head, likely, asked) => {
          const { reserve } = replyReserve({ window, head, likely, asked })
          expect(Number.isSafeInteger(reserve) && reserve >= 0).toBe(true)
          expect(reserve).toBeLessThanOrEqual(Math.max(0, window - head) / 2)
          expect(reserve).toBeLessThanOrEqual(asked ?? window)
        },
      ),
    )
  })
})

describe('likelyReply', () => {
  it.each([
    [0, undefined],
    [384, undefined],
    [385, 1024],
    [768, 1024],
    [769, 2048],
    [6144, 8192],
    [1e300, 2 ** 20],
    [Number.NaN, undefined],
    [-5, undefined],
  ])('for %d tokens is %s', (tokens, expected) => {
    expect(likelyReply(tokens)).toBe(expected)
  })
})

describe('a calibration', () => {
  const known = { model: 'm', counter: 'c', factor: 1 }

  it('rises with the longest reply, in steps, and is the same object otherwise', () => {
    expect(withReply(known, 100)).toBe(known)
    const longer = withReply(known, 1000)
    expect(longer).toEqual({ ...known, reply: 2048 })
    expect(withReply(longer, 1500)).toBe(longer)
    expect(withReply(longer, 10)).toBe(longer)
    expect(withReply(longer, 1600).reply).toBe(4096)
  })

  it('is read from a log only with a whole number', () => {
    expect(isCalibration({ ...known, reply: 2048 })).toBe(true)
    for (const reply of [-1, 0.5, '2048', Number.NaN])
      expect(isCalibration({ ...known, reply })).toBe(false)
  })
})
