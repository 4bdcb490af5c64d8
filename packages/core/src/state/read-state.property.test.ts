import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTranscript } from '../context/conversation/transcript.ts'
import type { MessageLike } from '../log/message.ts'
import { parseMessage } from '../log/parse-message.ts'
import { words } from '../tokens/words.ts'
import { defineState, type State } from './define-state.ts'
import { roundsFromEnd } from './read-round.ts'
import { createStateReader, hasResultSince, readState } from './read-state.ts'
import { assistant, dialects, message, round, user, write } from './rounds.fixture.ts'
import { number, object, text } from './schema.fixture.ts'

const schema = object({ n: number(), project: text() })
const common = { tool: ['read', 'write'], schema }
const newest = defineState({
  name: 'newest',
  ...common,
  pick: ({ n, project }) => (n === 13 ? undefined : { n, project }),
  belongsTo: ({ project }) => project,
})
const folded = defineState({
  name: 'folded',
  ...common,
  pick: ({ n, project }) => (n === 13 ? undefined : { n, project }),
  fold: (previous: readonly number[], { n }) => [...previous, n],
  initial: [],
  belongsTo: ({ project }) => project,
})
const states: readonly State<unknown>[] = [newest, folded]

const result = fc.oneof(
  { weight: 4, arbitrary: fc.record({ n: fc.nat(20), project: fc.constantFrom('p', 'q') }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'Error: no',
      'Sorry',
      '',
      '{"n":"1"}',
      '{"__proto__":{"n":1}}',
      '13',
    ),
  },
)
const name = fc.constantFrom('read', 'write', 'other')
const calls = fc.array(
  fc.record(
    { tool: name, result, id: fc.constantFrom('call_0', 'call_1', 'call_2') },
    { requiredKeys: ['tool'] },
  ),
  { minLength: 1, maxLength: 4 },
)
const rounds = fc
  .tuple(fc.constantFrom(...dialects), calls, fc.nat())
  .map(([dialect, list, turn]) => round(dialect, list, rotate([...list.keys()], turn)))

const stray = fc
  .tuple(name, result, fc.constantFrom('call_0', 'nobody', undefined), fc.boolean())
  .map(([tool, content, id, named]) => [
    message({
      role: 'tool',
      content: write(content),
      ...(id === undefined ? {} : { tool_call_id: id }),
      ...(named ? { tool_name: tool } : {}),
    }),
  ])
const other = fc.oneof(
  result.map(value => [user(write(value))]),
  result.map(value => [assistant(write(value))]),
  result.map(value => [message({ role: 'assistant_note', content: write(value) })]),
  fc.constant([message({ role: 'system', content: 'late' })]),
)

/** Rounds of every shape, with strays, notes and other messages anywhere, also inside a round. */
const history = fc
  .tuple(
    fc.array(rounds, { maxLength: 8 }),
    fc.array(fc.tuple(fc.oneof(stray, other), fc.nat()), { maxLength: 8 }),
  )
  .map(([groups, extras]) => {
    const messages: MessageLike[] = groups.flat()
    for (const [extra, at] of extras) messages.splice(at % (messages.length + 1), 0, ...extra)
    return messages
  })

describe('readState', () => {
  it('equals a plain reading of everything, for both kinds of state, with a project and without', () => {
    fc.assert(
      fc.property(history, fc.constantFrom({}, { projectId: 'p' }), (messages, options) => {
        const good = plainly(messages, options.projectId)
        const last = good.at(-1)
        const reading = readState(messages, newest, options)
        expect(reading.value).toEqual(last && { n: last.n, project: last.project })
        expect(reading.entry?.seq).toBe(last?.seq)
        expect(reading.entry?.tool).toBe(last?.tool)
        expect(readState(messages, folded, options).value).toEqual(good.map(one => one.n))
      }),
      { numRuns: process.env.THROUGHLINE_LONG ? 5_000 : 150 },
    )
  })

  it('is the same for a growing list, for a reader that is asked now and then, and from a cold start', () => {
    fc.assert(
      fc.property(history, fc.array(fc.boolean()), (messages, asks) => {
        for (const state of states) {
          const reader = createStateReader(state, { projectId: 'p' })
          for (const [at, one] of messages.entries()) {
            reader.append(one)
            if (!asks[at % asks.length]) continue
            const list = messages.slice(0, at + 1)
            const cold = readState(structuredClone(list), state, { projectId: 'p' })
            expect(reader.reading()).toEqual(cold)
            expect(readState(list, state, { projectId: 'p' })).toEqual(cold)
          }
          expect(reader.reading()).toEqual(readState(messages, state, { projectId: 'p' }))
        }
      }),
      { numRuns: process.env.THROUGHLINE_LONG ? 3_000 : 100 },
    )
  })

  it('reports every result of its tools that it looked at and did not take', () => {
    fc.assert(
      fc.property(history, messages => {
        const { skipped } = readState(messages, folded)
        const taken = plainly(messages).length
        const all = [...roundsFromEnd(messages)].flatMap(({ results }) => results)
        const own = all.filter(({ tool }) => folded.tools.includes(tool))
        expect(skipped.length + taken).toBe(own.length)
      }),
    )
  })

  it('knows whether a good result stands after a place', () => {
    fc.assert(
      fc.property(history, fc.nat(40), (messages, seq) => {
        const expected = plainly(messages).some(one => one.seq >= seq)
        expect(hasResultSince(messages, newest, seq)).toBe(expected)
        expect(hasResultSince(messages, folded, seq)).toBe(expected)
      }),
    )
  })
})

describe('what counts as a result', () => {
  it('is what a context sends as one', () => {
    fc.assert(
      fc.property(history, messages => {
        const transcript = createTranscript(words())
        for (const [seq, one] of messages.entries()) transcript.append(one, seq)
        const sent = transcript.units.flatMap(({ strays }) =>
          [...strays].flatMap(
            ([at, { results }]) => results?.map(index => `${at}/${index}`) ?? [`${at}`],
          ),
        )
        const ours = [...roundsFromEnd(messages)].flatMap(({ results }) =>
          results.filter(({ isStray }) => isStray),
        )
        for (const { seq, index } of ours) {
          expect(sent.includes(`${seq}`) || sent.includes(`${seq}/${index}`)).toBe(true)
        }
        const places = new Set(ours.map(({ seq, index }) => `${seq}/${index}`))
        const whole = new Set(ours.map(({ seq }) => `${seq}`))
        for (const place of sent) {
          const empty = parseMessage(messages[Number.parseInt(place, 10)], 0).results.length === 0
          expect(empty || places.has(place) || whole.has(place)).toBe(true)
        }
      }),
    )
  })
})

interface Good {
  readonly seq: number
  readonly tool: string
  readonly n: number
  readonly project: string
}

/** The reference: all good results, oldest first, in one pass without caches and without an early stop. */
function plainly(messages: readonly MessageLike[], projectId?: string): readonly Good[] {
  const found: (Good & { readonly round: number; readonly place: number })[] = []
  let open: { id: string | undefined; name: string; place: number }[] = []
  for (const [seq, source] of messages.entries()) {
    const { role, calls, results } = parseMessage(source, seq)
    if (role === 'assistant_note') continue
    if (role !== 'tool')
      open = role === 'assistant' ? calls.map(({ id, name }, place) => ({ id, name, place })) : []
    if (role !== 'tool' && role !== 'assistant') continue
    const at =
      role === 'assistant'
        ? seq
        : messages.findLastIndex((one, before) => before < seq && one.role === 'assistant')
    for (const { callId, name, text } of results) {
      const fits = open.filter(call => {
        if (callId !== undefined && call.id !== undefined) return call.id === callId
        return name === undefined || call.name === name
      })
      const call = fits.find(({ id }) => callId !== undefined && id === callId) ?? fits[0]
      if (!call) continue
      open = open.filter(one => one !== call)
      const value = parse(text)
      const ok = typeof value?.n === 'number' && typeof value.project === 'string' && value.n !== 13
      if (!ok || call.name === 'other' || (projectId && value.project !== projectId)) continue
      found.push({
        seq,
        tool: call.name,
        n: value.n,
        project: value.project,
        round: at,
        place: call.place,
      })
    }
  }
  return found.sort((a, b) => a.round - b.round || a.place - b.place)
}

function parse(text: string): { n: number; project: string } | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function rotate<T>(list: readonly T[], by: number): T[] {
  const at = list.length === 0 ? 0 : by % list.length
  const turned = [...list.slice(at), ...list.slice(0, at)]
  return by % 3 === 0 ? turned.reverse() : turned
}
