import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MessageLike } from '@throughline/core/messages'
import { memoryStore } from '@throughline/stores/memory'
import { startWithExperiments } from '@throughline/test-tools/experiment-plug'
import { expect, it } from 'vitest'

const chat = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../examples/project-chat.json'), 'utf8'),
) as readonly MessageLike[]

interface Figures {
  readonly window: number
  readonly reserve: number
  readonly margin: number
  readonly tokens: number
  readonly free: number
  readonly over: number
  readonly factor?: number
  readonly parts: Readonly<Record<string, number>>
}

const sum = (amounts: Iterable<number>) => [...amounts].reduce((all, one) => all + one, 0)

/** Whether everything that is told of a window is in one unit, and adds up. */
function expectToAddUp(told: Figures, window = 4096) {
  const { tokens, free, margin, reserve, over, parts } = told
  expect(told.window).toBe(window)
  expect(sum(Object.values(parts))).toBe(tokens)
  expect(tokens + free + margin + reserve - over).toBe(window)
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))

it('figures of a calibrated model are in its own tokens: the window stays as it was set, and parts add up', async () => {
  const { api, history } = await startWithExperiments({
    ...{ store: memoryStore(), window: 4096, reserve: 512 },
  })
  const messages = chat.slice(0, 120)
  await history.import(JSON.stringify({ title: 'Toads', messages, time: 0 }), { as: 'toads' })
  const asked = [
    'Which grid reference does Priya want?',
    'And the count for bucket five?',
    'Where does Wilf live?',
  ]
  const heard: Figures[] = []
  for (const question of asked)
    for (const { data } of await api.say('toads', question))
      if (data.type === 'context') heard.push(data as Figures)
  const { factor = 1 } = (await history.thread('toads').calibration('reader')) ?? {}
  expect(factor).not.toBe(1)

  const { body: stored } = await api.get('/conversations/toads/calls')
  const [last] = stored.calls
  expect(stored.calls.map((one: Figures) => one.window)).toEqual([4096, 4096, 4096])
  expect(last).toMatchObject({ reserve: 512, factor: expect.any(Number) })
  // Our own counts are further away: that is what the calibration is for.
  const ours = (await history.thread('toads').calls({ limit: 1 }))[0]!.predicted
  expect(Math.abs(last.predicted - last.reported)).toBeLessThan(Math.abs(ours - last.reported))
  expect(heard.map(({ window, tokens }) => [window, tokens])).toEqual(
    stored.calls.map((one: { predicted: number }) => [4096, one.predicted]).reverse(),
  )
  expect(sum(Object.values(heard.at(-1)!.parts))).toBe(last.predicted)

  const points = linesOf((await api.get('/conversations/toads/timeline?since=110')).body)
  for (const point of points) expectToAddUp(point)
  const point = points.at(-1)
  expect(point).toMatchObject({ call: last.id, tokens: last.predicted, factor: last.factor })
  expect(point.reused + point.anew).toBe(point.tokens)
  expect(point.against[0].reused + point.against[0].anew).toBe(point.against[0].tokens)
  expect(point.against[0].tokens).toBeLessThanOrEqual(4096 - 512)

  const { body: one } = await api.get(`/conversations/toads/calls/${last.id}`)
  const { framing = 0, tools = 0 } = point.parts
  // Rows are rounded one by one, so that a message has one figure everywhere.
  const rows = sum(one.sent.map((row: { tokens: number }) => row.tokens))
  expect(Math.abs(rows + framing + tools - point.tokens)).toBeLessThanOrEqual(one.sent.length)
  expect(sum(Object.values(one.parts as Record<string, number>))).toBe(one.predicted)

  const { body: now } = await api.get('/conversations/toads/context')
  expectToAddUp(now)
  expect(now).toMatchObject({ factor, reserve: 512, capacity: 4096 - 512 - now.margin })
  const { body: small } = await api.get(
    '/conversations/toads/context?window=2048&reserve=100&at=100',
  )
  expectToAddUp(small, 2048)
  for (const cell of linesOf(
    (await api.get('/conversations/toads/grid?windows=2048,8192&policies=balanced')).body,
  ))
    expectToAddUp(cell, cell.window)
  const { body: compared } = await api.post('/conversations/toads/compare', {
    a: {},
    b: { policy: 'sliding-50' },
  })
  expectToAddUp(compared.a)
  expectToAddUp(compared.b)

  const { body: listed } = await api.get('/conversations/toads')
  expect(listed.latest.call).toMatchObject({
    window: 4096,
    predicted: last.predicted,
    parts: point.parts,
  })
  const { body: why } = await api.get(
    `/conversations/toads/entries/${point.at}/why?call=${last.id}`,
  )
  const own = one.sent.find((row: { seqs: readonly number[] }) => row.seqs.includes(point.at))
  expect([why.tokens, why.free]).toEqual([own.tokens, point.free])

  await api.post('/samples/experiment')
  for await (const _ of api.events('/experiments/sample-lemonade-stand/events'));
  const { body: steps } = await api.get('/experiments/sample-lemonade-stand/steps')
  const calls = steps.steps.flatMap((step: { acts: { calls: Figures[] }[] }) =>
    step.acts.flatMap(act => act.calls),
  ) as readonly Figures[]
  expect(new Set(calls.map(call => call.window))).toEqual(new Set([4096]))
  expect(calls.some(call => call.factor !== undefined)).toBe(true)
})
