import { createProgram } from '@throughline/server/cli/run-program'
import { memoryStore } from '@throughline/stores/memory'
import { apiClient } from '@throughline/test-tools/api-client'
import { drawingOf, startGallery } from '@throughline/test-tools/gallery'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'
import { applications } from '../../../src/applications/applications.ts'
import { tenRequests, twentyRequests } from '../../../src/applications/lamp-requests.ts'
import { galleryPlug } from '../src/command-plug.ts'

describe('the gallery', () => {
  it('is not there without its plug: no route, no menu, no setting', async () => {
    const { url, routes } = await startServer()
    const api = apiClient(url)
    expect(routes.filter(({ path }) => path.includes('gallery'))).toEqual([])
    expect((await api.get('/server')).body.plugs).toEqual([])
    expect((await api.get('/gallery')).status).toBe(404)
    const helpWith = async (plugs: Parameters<typeof createProgram>[1]) =>
      (await createProgram(['serve', '--help'], plugs)).commands
        .find(command => command.name() === 'serve')!
        .helpInformation()
    expect(await helpWith([])).not.toContain('--gallery')
    expect(await helpWith([galleryPlug(applications)])).toContain('--gallery')
  })

  it('is only added to a server that asks for it', async () => {
    const plug = await galleryPlug(applications).serve()
    expect(await plug.create({ gallery: false })).toBeUndefined()
    expect((await plug.create({ gallery: true }))!.name).toBe('gallery')
  })

  it('lists its applications with their newest conversations, and begins others', async () => {
    const { api, say } = await startGallery()
    const list = async () =>
      (await api.get('/gallery')).body.applications.map(
        ({ name, conversation }: Readonly<Record<string, string>>) => `${name}: ${conversation}`,
      )
    expect(await list()).toEqual([
      'lamp: try-lamp',
      'site-editor: try-site-editor',
      'ab-agent: try-ab-agent',
      'proxy: try-proxy',
    ])
    await say('lamp', 'a campfire')
    const begun = await api.post('/gallery/lamp/begin')
    expect(begun.body).toEqual({ conversation: 'try-lamp-2' })
    await say('lamp', 'a sunset', 'try-lamp-2')
    expect((await list())[0]).toBe('lamp: try-lamp-2')
    expect((await api.get('/gallery/kettle/try-kettle')).status).toBe(404)
  })

  it('reads and writes no other conversation of the log', async () => {
    const { api, history } = await startGallery()
    await history.thread('diary').seedTurns([
      { role: 'user', content: 'My secret is 1234.' },
      { role: 'assistant', content: 'I keep it.' },
    ])
    for (const name of [
      'diary',
      'try-lamp-0',
      'try-lamp-1',
      'try-lamp-x',
      'try-ab-agent',
      'try-lamp-02',
    ]) {
      expect([name, (await api.get(`/gallery/lamp/${name}`)).status]).toEqual([name, 404])
      expect((await api.post(`/gallery/lamp/${name}/say`, { text: 'undo' })).status).toBe(404)
    }
    expect(await history.conversations()).toHaveLength(1)
  })

  it('needs the scopes of its routes', async () => {
    const key = 'a-key-of-sixteen-characters'
    const { url } = await startGallery({ apiKeys: [key] })
    for (const path of ['/gallery', '/gallery/lamp/try-lamp'])
      expect((await apiClient(url).get(path)).status).toBe(401)
    const bearer = apiClient(url, { authorization: `Bearer ${key}` })
    expect((await bearer.get('/gallery')).status).toBe(200)
  })

  it('says that the reader is no model for an application', async () => {
    const { api } = await startGallery()
    const { status, body } = await api.get('/gallery/lamp/try-lamp?model=reader')
    expect([status, body.error.message]).toEqual([
      400,
      'model: only rules answer here, as the server has no language model.',
    ])
  })
})

describe('the lamp of the gallery', () => {
  it('plays what is asked for, and offers only what works', async () => {
    const { stateOf, say } = await startGallery()
    const empty = await stateOf('lamp')
    expect(empty.said).toEqual([])
    expect(empty.chips.length).toBeGreaterThan(2)
    const played = await say('lamp', empty.chips[0]!)
    expect(drawingOf(played, 'lamp').summary).toContain('thunderstorm')
    for (const chip of played.chips) {
      const fresh = `try-lamp-${2 + played.chips.indexOf(chip)}`
      await say('lamp', 'a thunderstorm', fresh)
      if (/undo|back/.test(chip)) await say('lamp', 'a campfire', fresh)
      const before = drawingOf(await stateOf('lamp', fresh), 'lamp').program
      expect([chip, drawingOf(await say('lamp', chip, fresh), 'lamp').program]).not.toEqual([
        chip,
        before,
      ])
    }
  })

  it('takes the last change back from the log, and keeps all over a restart', async () => {
    const store = memoryStore()
    const { say } = await startGallery({ store })
    const first = drawingOf(await say('lamp', 'a thunderstorm'), 'lamp').program
    const changed = await say('lamp', 'make it blue')
    expect(changed.undo).toBe('undo')
    const { stateOf, say: sayLater } = await startGallery({ store })
    expect(drawingOf(await stateOf('lamp'), 'lamp').program).toEqual(
      drawingOf(changed, 'lamp').program,
    )
    expect(drawingOf(await sayLater('lamp', 'undo'), 'lamp').program).toEqual(first)
  })

  it('never does anything on words that it does not understand, nor says the same twice', async () => {
    const { say } = await startGallery()
    const before = drawingOf(await say('lamp', 'a campfire'), 'lamp').program
    const answers: string[] = []
    for (const text of [
      'mein Hamster bohnert',
      'quelle heure est-il ?',
      'xyzzy plugh',
      'xyzzy plugh',
    ]) {
      const state = await say('lamp', text)
      expect(drawingOf(state, 'lamp').program).toEqual(before)
      expect(state.chips.length).toBeGreaterThan(1)
      answers.push(state.said.at(-1)!.text)
    }
    expect(new Set(answers).size).toBe(answers.length)
  })

  it('shows how ten and twenty exchanges are sent, three ways', async () => {
    const { stateOf, tell } = await startGallery()
    expect((await stateOf('lamp')).more.map(({ texts }) => texts.length)).toEqual([10, 20])
    for (const text of tenRequests) await tell('lamp', text)
    const ten = drawingOf(await stateOf('lamp'), 'lamp')
    // Each of them was understood.
    expect(ten.exchanges.filter(({ colours }) => colours.length === 0)).toEqual([])
    expect(ten.exchanges.map(({ sentAs }) => sentAs)).toEqual([
      ...Array<string>(8).fill('line'),
      ...['whole', 'whole'],
    ])
    for (const text of twentyRequests.slice(10)) await tell('lamp', text)
    const twenty = drawingOf(await stateOf('lamp'), 'lamp')
    expect(twenty.ways.map(({ policy }) => policy)).toEqual(['tiered', 'balanced', 'sliding'])
    for (const { tokens, exchanges } of twenty.ways) {
      expect(tokens + twenty.reserve + twenty.margin).toBeLessThanOrEqual(4096)
      expect(exchanges).toHaveLength(20)
    }
    expect(twenty.exchanges.filter(({ colours }) => colours.length === 0)).toEqual([])
    // Under tiers all but one can still be named; of the newest messages alone most are gone.
    const gone = twenty.ways.map(({ exchanges }) => exchanges.filter(one => one === 'gone').length)
    expect(gone[0]).toBeLessThanOrEqual(1)
    expect(gone[2]).toBeGreaterThan(10)
  })
})

describe('the site editor of the gallery', () => {
  it('changes a site that stands in the log alone, with a note beside each reply', async () => {
    const store = memoryStore()
    const { say } = await startGallery({ store })
    await say('site-editor', 'change the title to Blue Door')
    await say('site-editor', 'add a page about opening hours')
    const state = await say('site-editor', 'make the background dark blue')
    const { files, pages } = drawingOf(state, 'site')
    expect(files.map(({ path, turns }) => `${path} ${turns.join()}`)).toEqual([
      'index.html 1,2',
      'menu.html 1,2',
      'opening-hours.html 2',
      'style.css 3',
    ])
    expect(pages[0]!.title).toBe('Blue Door')
    expect(pages[0]!.html).toContain('#14284b')
    expect(state.said.filter(({ note }) => note).map(({ turn }) => turn)).toEqual([1, 2, 3])
    // No note stands in what a user of the application sees.
    for (const { text } of state.said) expect(text).not.toContain('NOTE TO SELF')
    const { say: sayLater, stateOf } = await startGallery({ store })
    expect(drawingOf(await stateOf('site-editor'), 'site')).toEqual(drawingOf(state, 'site'))
    const told = await sayLater('site-editor', 'what did you change so far?')
    expect(told.said.at(-1)!.text).toContain('1. The title was "Heron Café" and is "Blue Door"')
    const undone = await sayLater('site-editor', 'undo')
    expect(drawingOf(undone, 'site').pages[0]!.html).toContain('#faf6ef')
    expect(undone.undo).toBe('undo')
  })

  it('asks before a write that would lose text, and writes it only after the words for it', async () => {
    const { say, history } = await startGallery()
    const text = `<main><h1>Menu</h1><p>Fish soup${', and what goes with it'.repeat(40)}</p></main>`
    const write = { name: 'write_file', arguments: JSON.stringify({ path: 'menu.html', text }) }
    await history.thread('try-site-editor').seedTurns([
      { role: 'user', content: 'Write a long menu.' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'one', type: 'function', function: write }],
      },
      { role: 'tool', tool_call_id: 'one', content: 'Changed, 900 characters now.' },
      { role: 'assistant', content: 'It is long now.' },
    ])
    const asked = await say('site-editor', 'empty the menu page')
    expect(drawingOf(asked, 'site').waits).toMatch(/^menu\.html was not written/)
    expect(asked.chips).toEqual(['keep it as it is', 'write it anyway'])
    const vague = drawingOf(await say('site-editor', 'hm, what do you think?'), 'site')
    expect(vague.pages.find(({ path }) => path === 'menu.html')!.html).toContain('Fish soup')
    await say('site-editor', 'empty the menu page')
    const written = drawingOf(await say('site-editor', 'write it anyway'), 'site')
    expect(written.pages.find(({ path }) => path === 'menu.html')!.html).not.toContain('Fish soup')
    expect(written.waits).toBeUndefined()
    const back = drawingOf(await say('site-editor', 'undo'), 'site')
    expect(back.pages.find(({ path }) => path === 'menu.html')!.html).toContain('Fish soup')
  })
})

describe('the A/B agent of the gallery', () => {
  it('creates nothing but what its preview shows, after a whole yes', async () => {
    const { say } = await startGallery()
    const planned = await say('ab-agent', 'Plan a test for https://shop.example/checkout')
    expect(drawingOf(planned, 'agent').preview).toMatchObject({ confirm: 'yes, create it' })
    for (const text of [
      'I did not say yes!',
      'wait',
      'no',
      'what exactly would you create?',
      'maybe?',
    ]) {
      const state = await say('ab-agent', text)
      expect([text, drawingOf(state, 'agent').experiment]).toEqual([text, undefined])
    }
    const second = drawingOf(await say('ab-agent', "I'd rather use the second idea"), 'agent')
    expect(second.ideas.map(({ isChosen }) => isChosen)).toEqual([false, true, false])
    const created = drawingOf(await say('ab-agent', 'looks good, launch it'), 'agent')
    expect(created.experiment).toMatch(/^exp-/)
    expect(created.preview).not.toHaveProperty('confirm')
  })

  it('draws what each instance wrote into the log, and what the other one found there', async () => {
    const { say } = await startGallery()
    await say('ab-agent', 'https://shop.example/checkout')
    const { acts, states } = drawingOf(await say('ab-agent', 'use the second idea'), 'agent')
    expect(
      acts.map(({ instance, read, wrote }) => [instance, read, wrote.map(({ name }) => name)]),
    ).toEqual([
      ['A', [], ['ideas']],
      ['B', ['ideas'], ['variants', 'preview']],
    ])
    // The table names the entries that the drawing has.
    const entryOf = new Map(acts.flatMap(({ wrote }) => wrote.map(({ name, seq }) => [name, seq])))
    expect(states.map(({ name, seq, turn }) => [name, seq, turn])).toEqual([
      ['hypothesis', entryOf.get('ideas'), 1],
      ['variants', entryOf.get('variants'), 2],
      ['job ids', entryOf.get('variants'), 2],
      ['preview', entryOf.get('preview'), 2],
      ['experiment id', undefined, undefined],
    ])
  })
})

describe('the proxy of the gallery', () => {
  it('shows of each ready question which of three ways still has the answer', async () => {
    const { stateOf } = await startGallery()
    const { names, questions, cases } = drawingOf(await stateOf('proxy'), 'ways')
    const saw = names.map(
      (_, way) => questions.filter(({ sights }) => sights[way] === 'saw').length,
    )
    expect(questions).toHaveLength(15)
    // Ollama has only what was said last; keeping the first message brings what that says.
    expect(saw[0]).toBeLessThanOrEqual(1)
    expect(saw[1]).toBeLessThanOrEqual(2)
    expect(saw[2]).toBeGreaterThanOrEqual(12)
    expect(cases.map(({ after }) => after)).toEqual([
      [
        "You're a test, Harry!",
        '[Several conversation turns removed to conserve context.]',
        "A test. And a thumping good one at that, I'd wager.",
      ],
      [
        "You're a test, Harry!",
        "I-I'm a what?",
        "A test. And a thumping good one at that, I'd wager.",
      ],
    ])
  })

  it('answers a question from what each way leaves, asked alone and behind those before it', async () => {
    const { say } = await startGallery()
    const first = await say('proxy', 'Which grid reference does Priya want for the fence?')
    const { alone, growing } = drawingOf(first, 'ways')
    expect(alone.map(({ sight }) => sight)).toEqual(['cut', 'cut', 'saw'])
    expect(alone[2]!.answer).toContain('SO 417 283')
    for (const { tokens, left, messages } of alone) {
      expect(tokens).toBeLessThan(4096)
      expect(left).toBeLessThan(messages)
    }
    // Nothing was asked before it, so both are the same.
    expect(growing).toEqual(alone)
    const own = await say('proxy', 'Which grid reference did I ask about just now?')
    const second = drawingOf(own, 'ways')
    expect(second.alone.map(({ sight }) => sight)).toEqual(['unknown', 'unknown', 'unknown'])
    expect(second.growing[0]!.messages).toBe(second.alone[0]!.messages + 2)
    expect(own.said.map(({ from }) => from)).toEqual([
      'visitor',
      'application',
      'visitor',
      'application',
    ])
    expect(own.chips).not.toContain('Which grid reference does Priya want for the fence?')
  })
})
