import { conversation } from '@throughline/test-tools/arbitrary'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  balanced,
  ContextOverflowError,
  type FitOptions,
  fit,
  type Policy,
  recall,
  sliding,
  spongebob,
  stable,
  thorough,
  thrifty,
  tiered,
} from '../index.ts'
import { assertContext } from '../testing/assert-context.ts'
import { estimate } from '../tokens/estimate.ts'
import { words } from '../tokens/words.ts'
import { pipe } from './draft/draft.ts'
import type { NotesPlace } from './draft/frame-options.ts'

const runs = process.env.THROUGHLINE_LONG ? 10_000 : 120

/** A policy that drops units at random, even protected ones. */
const careless = (salt: number): Policy => ({
  name: 'careless',
  apply: draft =>
    draft.drop(
      draft.units.filter(unit => (unit.index * 7 + salt) % 3 === 0),
      'because',
    ),
})

const policies = fc.oneof(
  fc.constantFrom<Policy>(
    spongebob(),
    tiered(),
    tiered({ full: 0, max: 3 }),
    sliding({ messages: 4 }),
  ),
  fc.constantFrom<Policy>(stable(), stable({ digests: 0.1 }), thrifty(), balanced(), thorough()),
  fc.double({ min: 0, max: 1, noNaN: true }).map(effort => recall({ effort })),
  fc.nat(20).map(messages => pipe(sliding({ messages }), tiered({ full: 1 }))),
  fc.nat(20).map(careless),
)

const options: fc.Arbitrary<FitOptions> = fc.record(
  {
    window: fc.oneof(
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 1, max: 5_000 }),
      fc.integer({ min: 1, max: 100_000 }),
    ),
    policy: policies,
    count: fc.constantFrom(words(), estimate()),
    shape: fc.constantFrom('free', 'alternating'),
    systemRole: fc.boolean(),
    overflow: fc.constantFrom('error', 'keep', 'trim'),
    notes: fc.constantFrom<NotesPlace>('inline', 'system', false),
    pins: fc.constantFrom<string[]>(
      [],
      ['WORKING FOLDER (use for all path-based tools): /workspace'],
    ),
    tools: fc.constantFrom<unknown[]>(
      [],
      [{ type: 'function', function: { name: 'read_file', parameters: {} } }],
    ),
  },
  { requiredKeys: ['window'] },
)

describe('fit, for any conversation, window and policy', () => {
  it(`holds every invariant (${runs} conversations)`, () => {
    fc.assert(
      fc.property(conversation(), options, fc.nat(200), (messages, options, reserve) => {
        const before = structuredClone(messages)
        const all = { ...options, reserve: reserve < options.window ? reserve : 0 }
        try {
          const context = fit(messages, all)
          assertContext(messages, all, context)
          // A cold start gives equal bytes.
          const again = fit(structuredClone(messages), all)
          expect(JSON.stringify(again)).toBe(JSON.stringify(context))
        } catch (error) {
          if (!(error instanceof ContextOverflowError)) throw error
          if (all.overflow === 'keep') throw new Error("overflow 'keep' must never throw")
        }
        expect(JSON.stringify(messages)).toBe(JSON.stringify(before))
      }),
      { numRuns: runs },
    )
  })

  it('gives the same context for a growing list as for a list that is read at once', () => {
    fc.assert(
      fc.property(
        conversation(15),
        fc.integer({ min: 20, max: 400 }),
        policies,
        (messages, window, policy) => {
          const settings = { window, policy, count: words(), overflow: 'keep' } as const
          const growing: typeof messages = []
          for (const message of messages) {
            growing.push(message)
            const warm = JSON.stringify(fit(growing, settings))
            const cold = JSON.stringify(fit(structuredClone(growing), settings))
            expect(warm).toBe(cold)
          }
        },
      ),
      { numRuns: runs / 4 },
    )
  })
})
