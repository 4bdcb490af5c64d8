import { createHash } from 'node:crypto'
import { isLong } from '@throughline/test-tools/is-long'
import { expect, it } from 'vitest'
import { type Fetch, runWorld, type WorldFigures } from './nobody-elses/world.ts'

const worlds = isLong ? 1_000 : 12
const requests = 12

async function runWorlds(count: number, first: number, through?: (fetch: Fetch) => Fetch) {
  const all: WorldFigures[] = []
  for (let seed = first; seed < first + count; seed++)
    all.push(await runWorld(requests, { seed, ...(through && { through }) }))
  const sum = (of: (one: WorldFigures) => number) => all.reduce((total, one) => total + of(one), 0)
  const figures = {
    requests: sum(({ requests }) => requests),
    streamed: sum(({ streamed }) => streamed),
    broken: sum(({ broken }) => broken),
    cut: sum(({ cut }) => cut),
    foreign: all.flatMap(({ foreign }) => foreign),
    faces: new Set(all.flatMap(({ faces }) => [...faces])),
    places: new Set(all.flatMap(({ places }) => [...places])),
  }
  console.log(
    `${count} random talks of 2 to 5 people behind one application: ${figures.requests} requests ` +
      `(${figures.streamed} streamed, ${figures.broken} broken off, ${figures.cut} cut), ${figures.foreign.length} words that the client had not sent`,
  )
  return figures
}

it('sends the model no word of another person, and none that the client took away', {
  timeout: 1_800_000,
}, async () => {
  const { foreign, faces, places, streamed, broken, cut } = await runWorlds(worlds, 1)
  expect(foreign).toEqual([])
  expect(faces.size).toBe(4)
  expect(places.size).toBe(4)
  expect(streamed).toBeGreaterThan(worlds)
  expect(broken).toBeGreaterThan(worlds / 4)
  expect(cut).toBeGreaterThan(worlds / 2)
})

it('notices a server that guesses whose conversation it is, and restores it', {
  timeout: 600_000,
}, async () => {
  /** Names the conversation by the first words that a user says. */
  const guess =
    (fetch: Fetch): Fetch =>
    async request => {
      const body = await request.text()
      const { messages, input = messages } = JSON.parse(body) as Record<string, { role?: string }[]>
      const first = input!.find(({ role }) => role === 'user')
      const headers = new Headers(request.headers)
      headers.set(
        'x-throughline-conversation',
        createHash('sha256').update(JSON.stringify(first)).digest('hex'),
      )
      return fetch(new Request(request.url, { method: 'POST', headers, body }))
    }
  const { foreign } = await runWorlds(10, 1, guess)
  expect(foreign.length).toBeGreaterThan(0)
})
