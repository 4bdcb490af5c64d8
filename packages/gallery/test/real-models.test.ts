import { drawingOf, startGallery } from '@throughline/test-tools/gallery'
import { describe, expect, it } from 'vitest'
import { scriptedModel } from './scripted-model.ts'

const campfire = JSON.stringify({
  program: {
    name: 'campfire',
    steps: [
      { id: '1', command: { type: 'pattern', name: 'breathing', params: { color: '#FF8000' } } },
    ],
  },
})

describe.each(['ollama', 'openai', 'anthropic'] as const)('on a model of %s', form => {
  it('the lamp plays the program that the model writes, and keeps it when the model only talks', async () => {
    const { upstream, requests } = await scriptedModel(form, ({ asked }) =>
      asked.includes('fire') ? `Here it is:\n${campfire}` : 'I would rather talk.',
    )
    const { say } = await startGallery({ upstream })
    const state = await say('lamp', 'a fire')
    expect(drawingOf(state, 'lamp').summary).toContain('campfire')
    expect(requests[0]!.system).toContain('You drive a lamp with 172 LEDs')
    const after = await say('lamp', 'and now?')
    expect(drawingOf(after, 'lamp').summary).toContain('campfire')
    expect(after.said.at(-1)!.text).toBe('I would rather talk.')
    // Ten requests in a row are for rules: a model answers in its own time.
    expect(after.more).toEqual([])
  })

  it('the site editor works with its tools, and asks before a write that would lose a page', async () => {
    const { upstream, requests } = await scriptedModel(form, ({ asked, results }) => {
      const path = 'menu.html'
      if (results.length > 0) return 'Done.\n\n[NOTE TO SELF: I looked at the menu.]'
      if (asked.startsWith('show')) return [{ name: 'read_file', arguments: { path } }]
      if (asked.startsWith('shorten'))
        return [{ name: 'write_file', arguments: { path, text: '<!-- the rest as before -->' } }]
      return [{ name: 'write_anyway', arguments: {} }]
    })
    const { say } = await startGallery({ upstream })
    await say('site-editor', 'show the menu')
    expect(requests[0]!.tools).toEqual(
      expect.arrayContaining(['list_files', 'read_file', 'write_file']),
    )
    expect(requests[0]!.system).toContain('You edit a small site')
    expect(requests[1]!.results[0]).toContain('Fish soup')
    const menuOf = (state: Awaited<ReturnType<typeof say>>) =>
      drawingOf(state, 'site').pages.find(({ path }) => path === 'menu.html')!.html
    const asked = await say('site-editor', 'shorten the menu')
    expect(menuOf(asked)).toContain('Fish soup')
    expect(drawingOf(asked, 'site').waits).toContain('menu.html was not written')
    // The model answers for the user: the tool reads the user's own words.
    expect(menuOf(await say('site-editor', 'hm'))).toContain('Fish soup')
    expect(menuOf(await say('site-editor', 'write it anyway'))).not.toContain('Fish soup')
  })

  it('the A/B agent creates nothing without a whole yes, however eager the model is', async () => {
    const { upstream } = await scriptedModel(form, ({ asked, results }) => {
      if (results.length > 0) return 'That is what I did.'
      if (asked.includes('https'))
        return ['generate_hypotheses', 'generate_variants', 'preview_experiment'].map(name => ({
          name,
          arguments: name === 'generate_hypotheses' ? { url: 'https://shop.example/checkout' } : {},
        }))
      return [{ name: 'create_experiment', arguments: {} }]
    })
    const { say } = await startGallery({ upstream })
    const planned = await say('ab-agent', 'Plan a test for https://shop.example/checkout')
    expect(drawingOf(planned, 'agent').preview).toBeDefined()
    const eager = await say('ab-agent', 'what does it cost?')
    expect(drawingOf(eager, 'agent').experiment).toBeUndefined()
    expect(drawingOf(eager, 'agent').acts.at(-1)!.refused).toEqual(['create_experiment'])
    const created = await say('ab-agent', 'yes, create it')
    expect(drawingOf(created, 'agent').experiment).toMatch(/^exp-/)
  })
})

it('tells a visitor what went wrong with a model, and answers by rules where these are chosen', async () => {
  const { upstream } = await scriptedModel('openai', () => undefined)
  const { api, stateOf } = await startGallery({ upstream })
  const tell = async (body: object) =>
    (await api.request('POST', '/gallery/lamp/try-lamp/say', body)).text()
  expect((await api.get('/gallery/lamp/try-lamp')).body.model).toBe('scripted')
  const lines = (await tell({ text: 'a campfire' })).split('\n')
  expect(JSON.parse(lines[0]!)).toMatchObject({
    type: 'problem',
    message: expect.stringContaining('the script has ended'),
  })
  expect((await stateOf('lamp')).said.at(-1)).toMatchObject({ status: 'failed' })
  expect(await tell({ text: 'a campfire', model: 'rules' })).toBe('{"type":"end"}\n')
  expect(drawingOf(await stateOf('lamp'), 'lamp').summary).toContain('campfire')
})
