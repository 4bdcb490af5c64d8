import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { calibrate, calibrated, looksTruncated } from './calibrate.ts'
import { message } from './message.fixture.ts'
import { words } from './words.ts'

const counter = words()
const model = 'llama3.2:3b'
const report = (predicted: number, reported: number) => ({ counter, model, predicted, reported })

describe('calibrate', () => {
  it('begins at 1 with a report that agrees', () => {
    expect(calibrate(undefined, report(1000, 1000))).toEqual({ model, counter: 'words', factor: 1 })
  })

  it('rises at once, to the next step of 5 %', () => {
    expect(calibrate(undefined, report(1000, 1120)).factor).toBe(1.15)
    expect(calibrate({ model, counter: 'words', factor: 1.15 }, report(1000, 2000)).factor).toBe(2)
  })

  it('falls one step at a time', () => {
    const start = { model, counter: 'words', factor: 1.5 }
    const first = calibrate(start, report(1000, 1000))
    expect(first.factor).toBe(1.45)
    expect(calibrate(first, report(1000, 1000)).factor).toBe(1.4)
    expect(calibrate(undefined, report(1000, 600)).factor).toBe(0.95)
  })

  it('does not follow what is in view of a conversation that is cut', () => {
    const start = { model, counter: 'words', factor: 1 }
    // Files count nearly as much as predicted, calls and prose less.
    for (const reported of [990, 940, 760, 930, 810, 1000])
      expect(calibrate(start, { ...report(1000, reported), isCut: true })).toBe(start)
    expect(calibrate(start, { ...report(1000, 700), isCut: true }).factor).toBe(0.95)
    expect(calibrate(start, { ...report(1000, 620), isCut: true, isOpen: true })).toBe(start)
    // A factor that was raised by half, as a prompt was refused, comes down inside a turn too.
    const raised = { model, counter: 'words', factor: 1.5 }
    expect(calibrate(raised, { ...report(1000, 990), isCut: true, isOpen: true }).factor).toBe(1.45)
    expect(calibrate(start, { ...report(1000, 1040), isCut: true }).factor).toBe(1.05)
  })

  it('leaves a little more to the margin of an estimate in a conversation that is cut', () => {
    const start = { model, counter: 'words', factor: 1 }
    const inexact = (reported: number) => ({
      ...report(1000, reported),
      counter: { ...counter, exact: false },
    })
    expect(calibrate(start, { ...inexact(1040), isCut: true })).toBe(start)
    expect(calibrate(start, { ...inexact(1060), isCut: true }).factor).toBe(1.1)
    expect(calibrate(start, inexact(1040)).factor).toBe(1.05)
  })

  it('returns the same object when nothing changes', () => {
    const start = { model, counter: 'words', factor: 1.1 }
    expect(calibrate(start, report(1000, 1090))).toBe(start)
  })

  it('ignores nonsense and prompts too short to say anything', () => {
    const start = { model, counter: 'words', factor: 1.1 }
    for (const [predicted, reported] of [
      [1000, 0],
      [0, 1000],
      [1000, Number.NaN],
      [Number.NaN, 1000],
      [1000, -5],
      [1000, Number.POSITIVE_INFINITY],
      [63, 630],
    ] as const) {
      expect(calibrate(start, report(predicted, reported))).toBe(start)
    }
  })

  it('begins anew for another model or another counter', () => {
    const start = { model: 'qwen3:8b', counter: 'words', factor: 3 }
    expect(calibrate(start, report(1000, 1000)).factor).toBe(1)
    expect(calibrate({ ...start, model, counter: 'other' }, report(1000, 1000)).factor).toBe(1)
  })

  it('stays between 0.5 and 4, in steps of 0.05, and never under the report unless bounded', () => {
    const reports = fc.array(
      fc.tuple(fc.integer({ min: 64, max: 100_000 }), fc.integer({ min: 64, max: 100_000 })),
    )
    fc.assert(
      fc.property(reports, list => {
        let state = calibrate(undefined, report(100, 100))
        for (const [predicted, reported] of list) {
          state = calibrate(state, report(predicted, reported))
          expect(state.factor).toBeGreaterThanOrEqual(0.5)
          expect(state.factor).toBeLessThanOrEqual(4)
          expect(Number.isInteger(Math.round(state.factor * 20 * 1e9) / 1e9)).toBe(true)
          if (state.factor < 4)
            expect(state.factor * predicted).toBeGreaterThanOrEqual(reported * 0.999)
        }
      }),
    )
  })
})

describe('calibrated', () => {
  it('multiplies every number and rounds up', () => {
    const scaled = calibrated({ ...counter, prompt: 3 }, 1.15)
    expect(scaled.id).toBe('words*1.15')
    expect(scaled.text('one two three')).toBe(4)
    expect(scaled.message(message({ text: 'word '.repeat(100) }))).toBe(115)
    expect(scaled.tools(['a b'])).toBe(3)
    expect(scaled.prompt).toBe(4)
  })

  it('is the counter itself for 1', () => {
    expect(calibrated(counter, 1)).toBe(counter)
    expect(calibrated(counter, Number.NaN)).toBe(counter)
  })
})

describe('looksTruncated', () => {
  it('sees a prompt that filled the window and was read in part', () => {
    expect(looksTruncated({ predicted: 4000, reported: 2048, window: 4096 })).toBe(true)
    expect(looksTruncated({ predicted: 9000, reported: 4096, window: 4096 })).toBe(true)
  })

  it('does not take an overestimate of a short prompt for it', () => {
    expect(looksTruncated({ predicted: 1000, reported: 600, window: 4096 })).toBe(false)
  })

  it('does not take a small difference for it', () => {
    expect(looksTruncated({ predicted: 4000, reported: 3600, window: 4096 })).toBe(false)
  })

  it('does not take a window that was larger than said for it', () => {
    expect(looksTruncated({ predicted: 9000, reported: 6000, window: 4096 })).toBe(false)
  })

  it('says no to nonsense', () => {
    expect(looksTruncated({ predicted: Number.NaN, reported: 10, window: 4096 })).toBe(false)
    expect(looksTruncated({ predicted: 4000, reported: 0, window: 4096 })).toBe(false)
    expect(looksTruncated({ predicted: 4000, reported: 100, window: Number.NaN })).toBe(false)
  })
})
