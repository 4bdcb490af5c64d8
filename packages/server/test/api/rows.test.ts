import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ReceiptStretch } from '@throughline/core/explain'
import type { MessageLike } from '@throughline/core/messages'
import { rules } from '@throughline/models/reader'
import { apiClient } from '@throughline/test-tools/api-client'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'
import type { SentRow } from '../../src/api/sent-rows.ts'
import { readerUpstream } from '../../src/upstream/reader-upstream.ts'

const chat = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../examples/project-chat.json'), 'utf8'),
) as readonly MessageLike[]

async function startSample(options: Parameters<typeof startServer>[0] = {}) {
  const server = await startServer({ window: 4096, reserve: 512, ...options })
  await server.history.import(JSON.stringify({ title: 'Toad patrol', messages: chat, time: 0 }), {
    as: 'toads',
  })
  return apiClient(server.url)
}

/** Tokens by part, without what belongs to no message. */
function byPart(rows: readonly SentRow[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const { part, tokens } of rows) sums[part] = (sums[part] ?? 0) + tokens
  return sums
}

const withoutFraming = ({ framing: _, tools: __, ...parts }: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(parts).filter(([, tokens]) => tokens > 0))

describe('the rows of a context', () => {
  it('are told without any text, for those who must see no note', async () => {
    const secret = 'Zanzibar'
    const upstream = {
      ...readerUpstream(),
      model: () => rules(() => `Heard. [NOTE TO SELF: think of ${secret}]`, { window: 4096 }),
    }
    const api = await startSample({ notes: true, upstream })
    for (const input of ['Qwerty.', 'Qwerty again.']) await api.say('toads', input)
    const { calls } = (await api.get('/conversations/toads/calls?limit=1')).body
    const paths = ['/conversations/toads/context', `/conversations/toads/calls/${calls[0].id}`]
    for (const path of paths) {
      const whole = (await api.get(path)).body
      const bare = (await api.get(`${path}?texts=false`)).body
      expect(JSON.stringify(whole)).toContain(secret)
      expect(JSON.stringify(bare)).not.toMatch(/Zanzibar|Qwerty|toad/i)
      const withoutText = ({ text: _, ...row }: SentRow) => row
      expect(bare.sent).toEqual(whole.sent.map(withoutText))
      expect(bare.sent.length).toBeGreaterThan(5)
    }
  })

  it.each(['balanced', 'stable', 'thorough', 'tiered', 'sliding-50'])(
    'add up to its parts and name every entry that was sent, with the policy %s',
    async policy => {
      const api = await startSample()
      for (const at of [2, 40, 301, 515, 523]) {
        const { body } = await api.get(`/conversations/toads/context?at=${at}&policy=${policy}`)
        const rows: readonly SentRow[] = body.sent
        expect(rows).toHaveLength(body.messages.length)
        expect(withoutFraming(body.parts)).toEqual(byPart(rows))
        const standing = rows.flatMap(({ standsFor }) => standsFor)
        // A cleared entry that is recalled too has a row of its own: its line.
        const own = rows.flatMap(({ seqs }) => seqs).filter(seq => !standing.includes(seq))
        expect(own).toHaveLength(body.counts.kept + body.counts.cleared)
        const lines = rows.filter(
          ({ seqs, text }) => seqs.length > 0 && text?.startsWith(`[Not the result: #${seqs[0]} (`),
        )
        expect(lines.length).toBeGreaterThanOrEqual(body.counts.cleared)
        expect(new Set(standing).size).toBe(standing.length)
        expect(standing).toHaveLength(body.counts.recalled + body.counts.digested)
      }
    },
  )

  it('are told of a stored call as of the context that it had', async () => {
    const api = await startSample({ notes: { place: 'inline' } })
    for (const input of ['What was the grid reference for Priya?', 'And who is Gethin?', 'Thanks!'])
      await api.say('toads', input)
    const { calls } = (await api.get('/conversations/toads/calls')).body
    expect(calls).toHaveLength(3)
    for (const { id, predicted } of calls) {
      const { body } = await api.get(`/conversations/toads/calls/${id}`)
      const rows: readonly SentRow[] = body.sent
      const { framing = 0, tools = 0 } = body.parts
      // A calibration rounds every row by itself.
      const most = body.factor === undefined ? 0 : rows.length
      for (const [part, tokens] of Object.entries(withoutFraming(body.parts)))
        expect(Math.abs(byPart(rows)[part]! - tokens)).toBeLessThanOrEqual(most)
      const sum = rows.reduce((all, { tokens }) => all + tokens, framing + tools)
      expect(Math.abs(sum - predicted)).toBeLessThanOrEqual(most)
      const recalled = body.stretches.filter(({ fate }: ReceiptStretch) => fate === 'recalled')
      const block = rows
        .filter(({ part }) => part === 'recall')
        .flatMap(({ standsFor }) => standsFor)
      const expected = recalled.flatMap(({ first, last }: ReceiptStretch) =>
        Array.from({ length: last - first + 1 }, (_, at) => first + at),
      )
      expect(block.sort((a, b) => a - b)).toEqual(expected)
    }
  })
})
