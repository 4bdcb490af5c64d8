import { calls, result, user } from '@throughline/core/testing'
import { createHistory } from '@throughline/history'
import { apiClient } from '@throughline/test-tools/api-client'
import { someStores } from '@throughline/test-tools/every-store'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'
import { parseState } from '../../src/api/states.ts'

const said = [
  ...[user('Sell.'), calls('sell'), result('sell', '{"cash":20,"sold":[1]}')],
  ...[user('And the weather?'), calls('look'), result('look', 'rainy all day')],
  ...[user('Sell more.'), calls('sell'), result('sell', '{"cash":50,"sold":[1,2]}')],
  ...[user('More.'), calls('sell'), result('sell', 'Error: no lemons')],
]

describe.each(await someStores())('states in %s', (_, create) => {
  it('are the newest results of tools where none are set', async () => {
    const store = create()
    const { url } = await startServer({ store })
    await createHistory({ store })
      .thread('stand')
      .seed(...said)
    const api = apiClient(url)
    const { body } = await api.get('/conversations/stand/state')
    expect(body).toMatchObject({ from: 1, entries: 12 })
    expect(body.states).toEqual([
      {
        ...{
          name: 'sell',
          tools: ['sell'],
          isConfigured: false,
          value: { cash: 50, sold: [1, 2] },
        },
        entry: { seq: 9, tool: 'sell' },
        skipped: [{ seq: 12, tool: 'sell', reason: 'error result', detail: 'Error: no lemons' }],
      },
      {
        ...{
          name: 'look',
          tools: ['look'],
          isConfigured: false,
          value: 'rainy all day',
          skipped: [],
        },
        entry: { seq: 6, tool: 'look' },
      },
    ])
    const { body: before } = await api.get('/conversations/stand/state?at=4')
    expect(before.states).toMatchObject([{ name: 'sell', value: { cash: 20 }, entry: { seq: 3 } }])
    expect((await api.get('/conversations/stand/state?at=0')).body).toEqual({
      states: [],
      from: 0,
      entries: 0,
    })
  })

  it('are those of the settings, with parts of results', async () => {
    const store = create()
    const states = ['cash=sell#/cash', 'second=sell#/sold/1', 'sky=look', 'none=dig']
    const { url } = await startServer({ store, states })
    await createHistory({ store })
      .thread('stand')
      .seed(...said)
    const { body } = await apiClient(url).get('/conversations/stand/state')
    expect(body.states).toMatchObject([
      {
        name: 'cash',
        value: 50,
        entry: { seq: 9 },
        skipped: [{ seq: 12, reason: 'error result' }],
      },
      { name: 'second', value: 2, entry: { seq: 9 } },
      { name: 'sky', skipped: [{ seq: 6, reason: 'not JSON' }] },
      { name: 'none', isConfigured: true, skipped: [] },
    ])
    expect(body.states[2].entry).toBeUndefined()
  })
})

it('refuses a state that is written otherwise, and reads nothing that a result does not own', () => {
  for (const odd of [
    '',
    'cash',
    '=sell',
    'cash=',
    'a=b#c',
    'a=b#',
    'a b=c',
    `a=${'b'.repeat(300)}`,
  ])
    expect(() => parseState(odd)).toThrow(expect.objectContaining({ code: 'invalid_option' }))
  const { pick } = parseState('x=y#/constructor')
  expect(pick!({})).toBeUndefined()
  expect(parseState('x=y#/a~1b/~0').pick!({ 'a/b': { '~': 1 } })).toBe(1)
})
