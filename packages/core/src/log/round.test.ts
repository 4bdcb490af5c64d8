import { growth, notLinear } from '@throughline/test-tools/growth'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readActions } from './actions.ts'
import type { Message, ToolCall, ToolResult } from './message.ts'
import { openRound } from './round.ts'

const call = (name: string, id?: string): ToolCall => ({
  name,
  arguments: '{}',
  ...(id === undefined ? {} : { id }),
})
const result = (callId?: string, name?: string): ToolResult => ({
  text: 'x',
  ...(callId === undefined ? {} : { callId }),
  ...(name === undefined ? {} : { name }),
})

describe('a round', () => {
  it('takes a result by id, whatever its name and order', () => {
    const round = openRound([call('read', 'a'), call('read', 'b')])
    expect(round.take(result('b', 'other'))).toBe(1)
    expect(round.take(result('b'))).toBe(-1)
    expect(round.unanswered()).toEqual([call('read', 'a')])
  })

  it('gives a result with an unknown id only to a call without one', () => {
    const round = openRound([call('read', 'a'), call('run'), call('read')])
    expect(round.take(result('z', 'read'))).toBe(2)
    expect(round.take(result('z'))).toBe(1)
    expect(round.take(result('z'))).toBe(-1)
  })

  it('takes a result without an id by name, and one without a name in order', () => {
    const round = openRound([call('read', 'a'), call('run', 'b'), call('read', 'c')])
    expect([
      round.take(result(undefined, 'run')),
      round.take(result()),
      round.take(result()),
    ]).toEqual([1, 0, 2])
    expect(round.take(result())).toBe(-1)
  })

  it('knows the results in the very message that calls', () => {
    const round = openRound([call('web', 'a'), call('read', 'b')], [result('a')])
    expect(round.take(result('a'))).toBe(-1)
    expect(round.unanswered()).toEqual([call('read', 'b')])
  })

  it('pairs as a plain search over the waiting calls does', () => {
    const id = fc.constantFrom('a', 'b', 'c')
    const name = fc.constantFrom('read', 'run', '')
    const calls = fc.array(
      fc.record(
        { id, name, arguments: fc.constant('{}') },
        { requiredKeys: ['name', 'arguments'] },
      ),
    )
    const results = fc.array(
      fc.record({ callId: id, name, text: fc.constant('x') }, { requiredKeys: ['text'] }),
    )
    fc.assert(
      fc.property(calls, results, (calls, results) => {
        const round = openRound(calls)
        const waiting = [...calls]
        for (const one of results) {
          const found = searched(one, waiting)
          expect(calls[round.take(one)]).toBe(waiting[found])
          if (found >= 0) waiting.splice(found, 1)
        }
        expect(round.unanswered()).toEqual(waiting)
      }),
      { numRuns: 1_000, seed: 4 },
    )
  })

  it.each(['ids', 'names', 'order'])('is linear for results in reversed order: by %s', by => {
    const make = (size: number) => {
      const places = Array.from({ length: size }, (_, n) => n)
      const calls = places.map(n =>
        call(by === 'names' ? `tool ${n}` : 'tool', by === 'ids' ? `${n}` : undefined),
      )
      const results = places.map(n =>
        result(by === 'ids' ? `${n}` : undefined, by === 'names' ? `tool ${n}` : undefined),
      )
      return [{ calls, results: results.reverse() }] as unknown as readonly Message[]
    }
    const work = (messages: readonly Message[]) =>
      expect(readActions(messages).every(action => action.result === 'x')).toBe(true)
    work(make(50_000))
    expect(growth(make, work, { size: 4_000 })).toBeLessThan(notLinear)
  })
})

/** The matching rule in its plainest form: a search for every result. */
function searched({ callId, name }: ToolResult, waiting: readonly ToolCall[]): number {
  if (callId !== undefined) {
    const byId = waiting.findIndex(one => one.id === callId)
    if (byId >= 0) return byId
    return waiting.findIndex(one => one.id === undefined && (!name || one.name === name))
  }
  if (name !== undefined) return waiting.findIndex(one => one.name === name)
  return waiting.length > 0 ? 0 : -1
}
