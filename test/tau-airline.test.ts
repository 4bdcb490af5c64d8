import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { defaultPolicy, fit, type MessageLike, type Policy, sliding, spongebob, tiered } from 'throughline'
import { assertContext } from 'throughline/testing'
import { describe, expect, it } from 'vitest'
import { o200k } from '../src/tokens/o200k.ts'

const folder = process.env.THROUGHLINE_DATA
if (!folder) console.log('tau-airline: skipped, THROUGHLINE_DATA does not name a folder with the public data')

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

  it('are there', () => expect(traces).toHaveLength(200))

  describe.each<Policy>([spongebob(), tiered(), sliding({ messages: 20 }), defaultPolicy])(
    '$name',
    policy => {
      it.each([2048, 3072, 4096])('fit whole and valid into %i', window => {
        for (const { messages } of traces) {
          const options = { window, policy, count }
          assertContext(messages, options, fit(messages, options))
        }
      })

      it('fit into 1024 with their longest texts cut', () => {
        for (const { messages } of traces) {
          const options = { window: 1024, policy, count, overflow: 'trim' } as const
          const context = fit(messages, options)
          assertContext(messages, options, context)
          expect(context.tokens).toBeLessThanOrEqual(1024)
        }
      })
    },
  )
})
