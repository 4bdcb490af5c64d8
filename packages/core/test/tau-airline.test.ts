import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { isLong } from '@throughline/test-tools/is-long'
import { describe, expect, it } from 'vitest'
import {
  defaultPolicy,
  fit,
  type MessageLike,
  type Policy,
  sliding,
  spongebob,
  tiered,
} from '../src/index.ts'
import { assertContext } from '../src/testing/assert-context.ts'
import { o200k } from '../src/tokens/o200k.ts'

const folder = process.env.THROUGHLINE_DATA
if (!isLong)
  console.info('Skipped: three of four runs for each policy and window, only in the long run')
if (!folder)
  console.log('tau-airline: skipped, THROUGHLINE_DATA does not name a folder with the public data')

interface Trace {
  readonly id: string
  readonly messages: readonly MessageLike[]
}

const load = (): readonly Trace[] =>
  gunzipSync(readFileSync(`${folder}/tau-airline.jsonl.gz`))
    .toString()
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Trace)

describe.skipIf(!folder)('200 real tool-calling runs', () => {
  const traces = folder ? load() : []
  const count = o200k()

  /** In `npm test` every window has its own quarter of the runs. */
  const some = (quarter: number) => traces.filter((_, n) => isLong || n % 4 === quarter)

  it('are there', () => expect(traces).toHaveLength(200))

  describe.each<Policy>([spongebob(), tiered(), sliding({ messages: 20 }), defaultPolicy])(
    '$name',
    policy => {
      it.each([2048, 3072, 4096])('fit whole and valid into %i', window => {
        for (const { messages } of some(window / 1024 - 1)) {
          const options = { window, policy, count }
          const context = fit(messages, options)
          assertContext(messages, options, context)
          expect(context.tokens).toBeLessThanOrEqual(window)
        }
      })

      it('fit into 1664 with their longest texts cut, and not into 1024: the system prompt is larger', () => {
        for (const { messages } of some(0)) {
          const options = { window: 1664, policy, count, overflow: 'trim' } as const
          const context = fit(messages, options)
          assertContext(messages, options, context)
          expect(context.tokens).toBeLessThanOrEqual(1664)
          expect(() => fit(messages, { ...options, window: 1024 })).toThrow(
            'What must be sent needs',
          )
        }
      })
    },
  )
})
