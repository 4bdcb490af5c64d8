import { createHash } from 'node:crypto'
import { isLong } from '@throughline/test-tools/is-long'
import { expect, it } from 'vitest'
import { type Figures, runFuzz } from './identity-fuzz/run.ts'

const exchanges = isLong ? 2_000 : 220

function print(
  name: string,
  { exchanges, foreign, lost, splits, unclear, styles, adapters }: Figures,
): void {
  const chats = `${exchanges} exchanges of ${styles.size} kinds of clients on ${adapters.size} adapters`
  const counts = `${foreign.length} foreign, ${lost.length} lost, ${splits.length} needless splits`
  console.log(`${name}: ${chats}: ${counts}, ${unclear} splits of what cannot be told apart`)
}

it('no chat gets what is of another, and few are split, whatever their clients leave out', {
  timeout: 600_000,
}, async () => {
  const figures = await runFuzz(exchanges, { seed: 25 })
  print('identity', figures)
  expect(figures.foreign).toEqual([])
  expect(figures.lost).toEqual([])
  expect(figures.splits.length, figures.splits.join('\n')).toBeLessThanOrEqual(exchanges / 100)
  expect(figures.styles.size).toBeGreaterThanOrEqual(isLong ? 30 : 15)
  expect(figures.adapters.size).toBe(4)
})

it('finds a server that tells chats apart by their words alone', { timeout: 600_000 }, async () => {
  const figures = await runFuzz(60, {
    seed: 25,
    through: fetch => async request => {
      const body = (await request.json()) as { messages?: unknown[]; input?: unknown[] }
      const words = JSON.stringify(body).match(/z[cf]\d+z/)?.[0] ?? ''
      const headers = new Headers(request.headers)
      headers.set('x-throughline-conversation', createHash('sha256').update(words).digest('hex'))
      return fetch(
        new Request(request.url, { method: 'POST', headers, body: JSON.stringify(body) }),
      )
    },
  })
  print('with the fault', figures)
  expect(figures.foreign.length).toBeGreaterThan(0)
})
