import { textOf } from '@throughline/test-tools/api-client'
import { someStores } from '@throughline/test-tools/every-store'
import { startWithExperiments } from '@throughline/test-tools/experiment-plug'
import { describe, expect, it } from 'vitest'

describe.each(await someStores())('samples in %s', (_, create) => {
  it('are one request away, and the second time the same', async () => {
    const { api, history } = await startWithExperiments({ store: create() })
    const { body: made } = await api.post('/samples/conversation')
    expect(made).toEqual({ conversation: 'sample-toad-patrol', isNew: true })
    expect((await api.post('/samples/conversation')).body).toEqual({ ...made, isNew: false })
    const { body: turns } = await api.get('/conversations/sample-toad-patrol/turns')
    expect(turns.turns).toHaveLength(168)
    const { body: outline } = await api.get('/conversations/sample-toad-patrol/outline')
    expect(outline.entries).toHaveLength(523)
    expect(new Date(outline.entries[0].time).toISOString()).toBe('2026-03-02T08:51:40.000Z')
    expect(await history.check()).toEqual([])
    // Shown as the model would be asked that answers next.
    const { body: context } = await api.get('/conversations/sample-toad-patrol/context?texts=false')
    expect(context.window).toBe(4096)
    // It can be gone on with as any other, and stays as it is when it is asked for again.
    const asked = {
      at: 523,
      input: 'Wilf asks: what is the grid reference for the fence, the one Priya wants?',
    }
    const said = []
    for await (const one of api.events('/conversations/sample-toad-patrol/edit', { body: asked }))
      said.push(one)
    expect(textOf(said)).toContain('SO 417 283')
    expect((await api.post('/samples/conversation')).body.isNew).toBe(false)
    expect((await api.get('/conversations/sample-toad-patrol/status')).body.state).toBe('idle')
    await api.remove('/conversations/sample-toad-patrol')
    expect((await api.post('/samples/conversation')).body).toEqual({
      conversation: 'sample-toad-patrol-2',
      isNew: true,
    })

    const { body: stand } = await api.post('/samples/experiment')
    expect(stand).toMatchObject({
      id: 'sample-lemonade-stand',
      name: 'lemonade-stand',
      isNew: true,
    })
    for await (const _ of api.events('/experiments/sample-lemonade-stand/events'));
    const { body: shown } = await api.get('/experiments/sample-lemonade-stand')
    expect(shown).toMatchObject({
      status: 'COMPLETED',
      result: 'Net worth has reached 1000',
      steps: 14,
    })
    expect((await api.post('/samples/experiment')).body).toMatchObject({
      id: stand.id,
      isNew: false,
      steps: 14,
    })
    // Its plan can be run again, and resumed, because its code is known here.
    expect((await api.post('/experiments', { id: 'again', planOf: stand.id })).status).toBe(201)
    for await (const _ of api.events('/experiments/again/events'));
    expect((await api.get('/experiments/again')).body.steps).toBe(14)
  })
})
