import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveReader } from '@throughline/test-tools/chat-help'
import { type Model, ModelError } from 'throughline/models'
import { memoryStore } from 'throughline/stores'
import { sqliteStore } from 'throughline/stores/sqlite'
import { o200k } from 'throughline/tokens/o200k'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  createLamp,
  type Lamp,
  type LampOptions,
  type LampPart,
  lampWindow,
} from '../../examples/lamp/lamp.ts'
import { lampAnswer } from '../../examples/lamp/rules/lamp-answer.ts'
import { lampRules } from '../../examples/lamp/rules/lamp-rules.ts'
import type { Exchange } from '../../examples/lamp/scenes.ts'

const newLamp = (options: Partial<LampOptions> = {}): Lamp =>
  createLamp({ store: memoryStore(), model: lampRules(), name: 'lamp', ...options })

async function ask(lamp: Lamp, ...given: Parameters<Lamp['ask']>): Promise<readonly LampPart[]> {
  const parts: LampPart[] = []
  for await (const part of lamp.ask(...given)) parts.push(part)
  return parts
}

const partIn = <Type extends LampPart['type']>(parts: readonly LampPart[], type: Type) =>
  parts.find(part => part.type === type) as Extract<LampPart, { type: Type }> | undefined

/** The rules, until they are told to fail; every request that they get is kept. */
function testModel() {
  const rules = lampRules()
  const sent: string[][] = []
  const model: Model & { fault?: () => string } = {
    ...rules,
    async *stream(request) {
      sent.push(request.messages.map(({ content }) => String(content)))
      if (!model.fault) return yield* rules.stream(request)
      yield { type: 'text-delta', text: model.fault() }
      yield { type: 'end', reason: 'stop', usage: {} }
    },
  }
  return { model, sent }
}

describe('the lamp', () => {
  it('streams an answer, then plays its program', async () => {
    const lamp = newLamp()
    const parts = await ask(lamp, 'blue waves')
    const kinds = parts.map(({ type }) => type)
    expect(kinds.filter((type, at) => type !== kinds[at - 1])).toEqual([
      'decision',
      'tokens',
      'text',
      'program',
    ])
    expect(kinds.filter(type => type === 'text').length).toBeGreaterThan(3)
    expect(partIn(parts, 'program')!.summary).toBe('blue waves, 1 step: wave(#0000FF)')
    expect((await lamp.view()).program).toEqual(partIn(parts, 'program')!.program)
  })

  it('goes on in the scene with a follow-up, and begins another with a new request', async () => {
    const { model, sent } = testModel()
    const lamp = newLamp({ model })
    await ask(lamp, 'blue waves')
    await ask(lamp, 'a bit slower')
    expect(partIn(await ask(lamp, 'a thunderstorm'), 'decision')!.kind).toBe('new')
    // The earlier exchanges are left behind, and the program that plays is there in full.
    expect(sent.at(-1)).toHaveLength(4)
    expect(sent.at(-1)!.slice(1)).toEqual([
      'a bit slower',
      expect.stringMatching(/^\{"program":\{"name":"blue waves".*"speed":0\.5/),
      'a thunderstorm',
    ])
    const parts = await ask(lamp, 'change the second step to red')
    expect(partIn(parts, 'decision')!.kind).toBe('follow-up')
    expect(partIn(parts, 'program')!.summary).toMatch(/^a thunderstorm, 4 steps: .*pulse\(#FF0000/)
    const { exchanges } = await lamp.view()
    expect(exchanges.map(({ kind, asked }) => `${kind}: ${asked}`)).toEqual([
      'new: blue waves',
      'follow-up: a bit slower',
      'new: a thunderstorm',
      'follow-up: change the second step to red',
    ])
  })

  it('does as the person says where the rules would decide otherwise', async () => {
    const lamp = newLamp()
    await ask(lamp, 'blue waves')
    const change = await ask(lamp, 'red', { as: 'follow-up' })
    expect(partIn(change, 'decision')).toMatchObject({ kind: 'follow-up', why: 'you said so' })
    expect(partIn(change, 'program')!.summary).toBe('blue waves, 1 step: wave(#FF0000)')
    const fresh = await ask(lamp, 'pulse in it', { as: 'new' })
    expect(partIn(fresh, 'program')!.summary).toBe('pulse in it, 1 step: pulse(#FFFFFF)')
    expect((await lamp.view()).exchanges.map(({ kind, asked }) => `${kind}: ${asked}`)).toEqual([
      'new: blue waves',
      'follow-up: Change what plays: red',
      'new: Something new: pulse in it',
    ])
  })

  const faults: readonly [string, () => string][] = [
    [
      'the model is away',
      () => {
        throw new ModelError('model_refused', 'The model is not there.')
      },
    ],
    ['the reply is cut', () => '{"program":{"name":"half","steps":[{"id":'],
    ['the reply is another form', () => '{"program":{"name":"odd","steps":{"id":"1"}}}'],
    ['the reply is prose', () => 'I would rather talk about the weather.'],
  ]
  describe.each(faults)('when %s', (_, fault) => {
    it.each(['a thunderstorm', 'make it red'])(
      'keeps its program and its history: %s',
      async request => {
        const { model, sent } = testModel()
        const lamp = newLamp({ model })
        await ask(lamp, 'blue waves')
        await ask(lamp, 'slower')
        const before = await lamp.view()
        model.fault = fault
        const parts = await ask(lamp, request)
        expect(partIn(parts, 'kept')!.why).not.toBe('')
        expect(partIn(parts, 'program')).toBeUndefined()
        const after = await lamp.view()
        expect(after.program).toEqual(before.program)
        const stored = ({ sentAs: _, ...exchange }: Exchange) => exchange
        expect(after.exchanges.slice(0, 2).map(stored)).toEqual(before.exchanges.map(stored))
        expect(after.exchanges).toHaveLength(3)
        expect(after.exchanges[2]).toMatchObject({ asked: request })
        expect(after.exchanges[2]!.summary).toBeUndefined()
        // The next follow-up has the former program in full before it.
        delete model.fault
        const next = partIn(await ask(lamp, 'make it green'), 'program')!
        expect(next.summary).toBe('blue waves, 1 step: wave(#00FF00)')
        expect(
          sent.at(-1)!.filter(text => text.startsWith('{"program":{"name":"blue waves"')).length,
        ).toBeGreaterThan(0)
      },
    )
  })

  it('keeps its program when the person stops the answer', async () => {
    const lamp = newLamp({ model: lampRules({ pieceMs: 5 }) })
    await ask(lamp, 'blue waves')
    const stop = new AbortController()
    const parts: LampPart[] = []
    for await (const part of lamp.ask('a thunderstorm', { signal: stop.signal })) {
      parts.push(part)
      if (part.type === 'text') stop.abort()
    }
    expect(parts.at(-1)).toMatchObject({ type: 'kept', isCancelled: true })
    expect((await lamp.view()).program!.name).toBe('blue waves')
  })

  it('answers one request at a time', async () => {
    const lamp = newLamp({ model: lampRules({ pieceMs: 5 }) })
    const first = ask(lamp, 'blue waves')
    await expect(ask(lamp, 'red')).rejects.toThrow('still answering')
    expect(partIn(await first, 'program')).toBeDefined()
  })

  it('stays within its window over sixty turns, the current program always in full', async () => {
    const { model, sent } = testModel()
    const lamp = newLamp({ model })
    const exact = o200k()
    const uses: number[] = []
    let current = ''
    for (let turn = 0; turn < 60; turn++) {
      const request = turn === 0 ? 'a thunderstorm' : changes[turn % changes.length]!
      const parts = await ask(lamp, request)
      expect(parts.filter(({ type }) => type === 'warning' || type === 'kept')).toEqual([])
      const { tokens, window, reserve, margin } = partIn(parts, 'tokens')!
      expect(window).toBe(4096)
      expect(tokens + reserve + margin).toBeLessThanOrEqual(window)
      // Not only by our own count.
      expect(sent.at(-1)!.reduce((sum, text) => sum + exact.text(text) + 4, 0)).toBeLessThanOrEqual(
        window - reserve,
      )
      if (turn > 0) expect(sent.at(-1)!.filter(text => text === current)).toHaveLength(1)
      expect(partIn(parts, 'decision')!.kind).toBe(turn === 0 ? 'new' : 'follow-up')
      current = parts.map(part => (part.type === 'text' ? part.text : '')).join('')
      uses.push(tokens)
    }
    const last = sent.at(-1)!
    expect(last.filter(text => text.startsWith('{"program":')).length).toBe(2)
    expect(last.join('\n').split('[Previous: ').length - 1).toBeGreaterThanOrEqual(8)
    // README.md states these two.
    expect([uses[10], Math.max(...uses)]).toEqual([2264, 3225])
  })

  it('has room for the largest programs of the rules, in the reply and in full afterwards', async () => {
    const { model, sent } = testModel()
    const lamp = newLamp({ model })
    const exact = o200k()
    for (const request of [
      'a christmas tree',
      'draw a smiley',
      'countdown from 15',
      'a christmas tree',
      ...changes.slice(0, 5),
    ]) {
      const before = (await lamp.view()).exchanges.at(-1)?.reply
      const parts = await ask(lamp, request)
      const reply = parts.map(part => (part.type === 'text' ? part.text : '')).join('')
      expect(exact.text(reply)).toBeLessThanOrEqual(partIn(parts, 'tokens')!.reserve)
      expect(parts.filter(({ type }) => type === 'warning')).toEqual([])
      if (before) expect(sent.at(-1)).toContain(before)
      expect(partIn(parts, 'program')).toBeDefined()
    }
  })

  it('has a scene for each of two people, also over a restart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'throughline-lamp-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const open = async () => {
      const store = sqliteStore({ path: join(folder, 'lamp.db') })
      await store.migrate()
      return { store, ada: newLamp({ store, name: 'ada' }), ben: newLamp({ store, name: 'ben' }) }
    }
    const before = await open()
    await Promise.all([ask(before.ada, 'blue waves'), ask(before.ben, 'a red fire')])
    await ask(before.ada, 'a thunderstorm')
    await before.store.close()
    const after = await open()
    const summary = async (lamp: Lamp) =>
      partIn(await ask(lamp, 'make it pink'), 'program')!.summary
    expect(await summary(after.ada)).toMatch(/^a thunderstorm, 4 steps: solid\(#FF69B4\)/)
    expect(await summary(after.ben)).toBe('a red fire, 1 step: sparkle(#FF69B4, #FFB020)')
    expect((await after.ada.view()).exchanges).toHaveLength(3)
    await after.store.close()
  })

  it('runs on Ollama, which is told the window and the form of a reply', async () => {
    const server = await serveReader({ window: lampWindow, answers: [lampAnswer] })
    onTestFinished(() => server.close())
    const lamp = newLamp({ model: server.ollama() })
    await ask(lamp, 'blue waves')
    expect(partIn(await ask(lamp, 'make it red'), 'program')!.summary).toBe(
      'blue waves, 1 step: wave(#FF0000)',
    )
    expect(server.bodies.at(-1)).toMatchObject({
      options: { num_ctx: 4096 },
      format: { properties: { program: { properties: { steps: { type: 'array' } } } } },
    })
  })
})

const changes = [
  'a bit slower',
  'make it blue',
  'faster again',
  'change the second step to red',
  'dim it',
  'brighter',
  'make that violet',
  'reverse it',
  'slower',
  'quicker',
]

describe('what was played before', () => {
  const wave = (color: string) => ({ command: { name: 'wave', params: { color } } })

  it('comes back from the log, step by step, without a model', async () => {
    const { model, sent } = testModel()
    const lamp = newLamp({ model })
    for (const request of ['blue waves', 'make it red', 'make it green']) await ask(lamp, request)
    const asked = sent.length
    const undone = await ask(lamp, 'undo')
    expect(partIn(undone, 'decision')!.why).toBe(
      '“make it red” is taken from the log: no model is asked',
    )
    expect(partIn(undone, 'program')!.program.steps).toMatchObject([wave('#FF0000')])
    expect(partIn(await ask(lamp, 'undo that'), 'program')!.program.steps).toMatchObject([
      wave('#0000FF'),
    ])
    expect(sent.length).toBe(asked)
    await ask(lamp, 'a bit slower')
    expect((await lamp.view()).program!.steps).toMatchObject([wave('#0000FF')])
  })

  it('comes back by its name, over scenes that left the window', async () => {
    const lamp = newLamp()
    await ask(lamp, 'a campfire')
    const { program } = await lamp.view()
    for (const request of ['a thunderstorm', 'make the lightning yellow', 'write HELLO'])
      await ask(lamp, request)
    const parts = await ask(lamp, 'go back to the campfire')
    expect(partIn(parts, 'program')!.program).toEqual(program)
    const storm = partIn(await ask(lamp, 'back to the lightning'), 'program')!.program
    expect(storm.steps[1]).toMatchObject({
      command: { name: 'pulse', params: { color: '#FFFF00' } },
    })
  })

  it('says which exchanges the next request sends whole, and which as a line', async () => {
    const lamp = newLamp()
    for (const request of ['blue waves', 'make it red', 'slower', 'make it green', 'faster'])
      await ask(lamp, request)
    const { exchanges } = await lamp.view()
    expect(exchanges.map(({ sentAs }) => sentAs)).toEqual([
      'one line',
      'one line',
      'one line',
      'whole',
      'whole',
    ])
  })
})
