import { apiClient } from '@throughline/test-tools/api-client'
import { someStores } from '@throughline/test-tools/every-store'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'

const marked = ({ text, hits }: { text: string; hits: readonly [number, number][] }) =>
  hits.map(([from, to]) => text.slice(from, to))

describe.each(await someStores())('why an entry has its fate, in %s', (_, create) => {
  it('is told at a place and in a call', async () => {
    const { url } = await startServer({ store: create() })
    const api = apiClient(url)
    await api.post('/samples/conversation')
    const path = '/conversations/sample-toad-patrol/entries'
    const { body: asked } = await api.get(`${path}/21/why?window=4096&reserve=512`)
    expect(asked).toMatchObject({
      seq: 21,
      fate: 'recalled',
      recall: { outcome: 'recalled', asking: { seq: 523 } },
    })
    expect(marked(asked.recall.asking)).toEqual(
      expect.arrayContaining(['grid', 'reference', 'Priya']),
    )
    expect(marked(asked.recall.found)).toContain('fence')
    const { body: earlier } = await api.get(`${path}/21/why?window=4096&reserve=512&at=30`)
    expect(earlier).toMatchObject({ fate: 'kept', leaving: { turns: expect.any(Number) } })
    expect((await api.get(`${path}/21/why?at=20`)).body.error.field).toBe('entry')
    expect((await api.get(`${path}/900/why`)).status).toBe(400)
    expect((await api.get(`${path}/0/why`)).status).toBe(400)

    const said = []
    const body = {
      at: 523,
      input: 'Which grid reference for the fence does Priya want?',
      system: 'Be brief.',
    }
    for await (const one of api.events('/conversations/sample-toad-patrol/edit', { body }))
      said.push(one.data)
    const { branch } = said.at(-1)
    const { body: calls } = await api.get(
      `/conversations/sample-toad-patrol/calls?branch=${branch}`,
    )
    const inCall = `call=${calls.calls[0].id}&branch=${branch}`
    const { body: sent } = await api.get(`${path}/21/why?${inCall}`)
    expect(sent).toMatchObject({
      fate: 'recalled',
      stored: { fate: 'recalled', why: sent.why, rule: sent.rule },
    })
    expect(sent.recall.asking).toMatchObject({ seq: 523, text: body.input })
    const { body: latest } = await api.get(`${path}/523/why?${inCall}`)
    expect(latest).toMatchObject({ fate: 'kept', isProtected: true, stored: { fate: 'kept' } })
    const { body: left } = await api.get(`${path}/101/why?${inCall}`)
    expect(left).toMatchObject({ fate: 'omitted', stored: { fate: 'omitted', why: left.why } })
    expect((await api.get(`${path}/21/why?call=none`)).status).toBe(404)
  })
})
