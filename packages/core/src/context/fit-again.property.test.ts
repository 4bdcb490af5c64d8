import { conversation } from '@throughline/test-tools/arbitrary'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  artifact,
  balanced,
  fit,
  type MessageLike,
  type Policy,
  recall,
  sliding,
  spongebob,
  stable,
  thorough,
  thrifty,
  tiered,
} from '../index.ts'
import { words } from '../tokens/words.ts'
import { createFindNewest } from './conversation/remember.ts'
import { pipe } from './draft/draft.ts'
import type { NotesPlace } from './draft/frame-options.ts'

const runs = process.env.THROUGHLINE_LONG ? 4_000 : 20

/** Answers that are programs, answers that are none, and programs that stop being one when the assistant goes on. */
const program = fc.constantFrom('dusk', 'storm', 'party').map(name =>
  JSON.stringify({
    program: { name, steps: [{ command: { type: 'stop' } }], loop: { count: 2 } },
  }),
)
const said = fc.oneof(
  program,
  fc.constantFrom('Done.', 'What was the boat called again?'),
  fc.lorem({ maxCount: 12 }),
)
const exchange: fc.Arbitrary<MessageLike[]> = fc
  .tuple(said, fc.array(said, { maxLength: 3 }), fc.boolean())
  .map(([request, answers, hasNote]) => [
    { role: 'user', content: request },
    ...answers.map(content => ({ role: 'assistant', content })),
    ...(hasNote ? [{ role: 'assistant_note', content: 'the boat is called Petrel' }] : []),
  ])
const talk = fc.oneof(
  { weight: 3, arbitrary: fc.array(exchange, { maxLength: 8 }).map(exchanges => exchanges.flat()) },
  { weight: 1, arbitrary: conversation(15) },
)

const policies: Readonly<Record<string, () => Policy>> = {
  spongebob,
  sliding: () => sliding({ messages: 4 }),
  stable: () => stable({ digests: 0.1 }),
  thrifty,
  balanced,
  thorough,
  'recall of effort 0.8': () => recall({ effort: 0.8 }),
  tiered,
  'tiered, one whole': () => tiered({ full: 1 }),
  'tiered, none whole': () => tiered({ full: 0, max: 3 }),
  'balanced + artifact': () => pipe(balanced(), artifact()),
}

describe.each(Object.entries(policies))('%s', (_name, make) => {
  it('gives the same bytes, whatever was fitted before', () => {
    const policy = make()
    fc.assert(
      fc.property(
        talk,
        fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 20, max: 400 }),
        fc.constantFrom<NotesPlace>('inline', 'system', false),
        fc.constantFrom(0, 40),
        (messages, lengths, window, notes, noteBudget) => {
          const settings = { window, policy, count: words(), overflow: 'keep' as const, noteBudget }
          for (const length of lengths)
            fit(messages.slice(0, length % (messages.length + 1)), { ...settings, notes })
          fit(messages, { ...settings, notes: notes === 'inline' ? false : 'inline' })
          const warm = fit(messages, { ...settings, notes })
          const cold = fit(structuredClone(messages), { ...settings, notes, policy: make() })
          expect(JSON.stringify(warm)).toBe(JSON.stringify(cold))
        },
      ),
      { numRuns: runs, seed: 15 },
    )
  })
})

describe('what is being worked on', () => {
  const boat = JSON.stringify({ program: { name: 'boat', steps: [{ command: { type: 'stop' } }] } })
  const list: MessageLike[] = [
    { role: 'user', content: 'a boat' },
    { role: 'assistant', content: boat },
    { role: 'user', content: 'a storm' },
    { role: 'assistant', content: boat.replace('boat', 'storm') },
    { role: 'assistant', content: 'On second thoughts: no storm.' },
    { role: 'user', content: 'thanks' },
  ]

  it('stays whole when an answer after it stopped being a program', () => {
    const settings = { window: 500, policy: tiered({ full: 0 }) }
    fit(list.slice(0, 4), settings)
    const { messages } = fit(list, settings)
    expect(messages).toEqual(fit(structuredClone(list), settings).messages)
    expect(messages).toContain(list[1])
  })

  it('is looked for once in each place, but in the newest', () => {
    const findNewest = createFindNewest()
    const transcript = {} as Parameters<typeof findNewest>[0]
    let looks = 0
    const isThird = (at: number) => {
      looks += 1
      return at === 3
    }
    for (let count = 1; count <= 1_000; count += 1) {
      expect(findNewest(transcript, count, isThird)).toBe(count > 3 ? 3 : -1)
    }
    expect(looks).toBeLessThan(2_100)
  })
})
