import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { artifact, defaultPolicy, type Policy, tiered } from '@throughline/core'
import { createHistory } from '@throughline/history'
import { sqliteStore } from '@throughline/stores/sqlite'
import {
  expectValid,
  inChat,
  newHistory,
  partsOf,
  serveReader,
  statusesOf,
  warningsIn,
} from '@throughline/test-tools/chat-help'
import { pipe } from 'throughline/policy'
import { o200k } from 'throughline/tokens/o200k'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lampAnswer } from '../../../examples/lamp/rules/lamp-answer.ts'
import { createChat } from '../src/index.ts'
import { lampPrompt, thunderstorm } from './lamp-prompt.ts'

interface Program {
  readonly name: string
  readonly steps: readonly {
    readonly command: {
      readonly name: string
      readonly params: { readonly color: string; readonly speed: number }
    }
    readonly duration: number
  }[]
}
const programIn = (text: unknown) => (JSON.parse(String(text)) as { program: Program }).program

const count = o200k()
let fails = 0
/** A model that counts with a real tokenizer, and refuses a prompt that is longer than its window. */
let server: Awaited<ReturnType<typeof serveReader>>
beforeAll(async () => {
  server = await serveReader({
    window: 4096,
    answers: [lampAnswer],
    count: text => count.text(text),
    onRequest: () => {
      if (fails-- > 0) throw new Error('the lamp server fell over')
    },
  })
})
const folder = mkdtempSync(join(tmpdir(), 'throughline-lamp-'))
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await server.close()
})

const followUps = [
  'make it slower',
  'make it blue',
  'a bit faster again',
  'make it sparkle instead',
  'still slower',
  'make it green',
  'keep it, but as a wave',
  'change it to orange and red',
  'slower again',
  'make that violet',
]
const policies: readonly [string, Policy | undefined][] = [
  ['tiered', tiered()],
  ['the default with the current program', pipe(defaultPolicy, artifact())],
  ['the default', undefined],
]

/** A conversation whose first exchange made a program of eight steps. */
async function begin(options: {
  readonly policy?: Policy | undefined
  readonly model: 'ollama' | 'openai'
}) {
  const history = newHistory()
  const thread = history.thread('chat')
  await thread.seed(
    { role: 'user', content: 'thunderstorm' },
    { role: 'assistant', content: thunderstorm },
  )
  const model = options.model === 'ollama' ? server.ollama() : server.openai()
  const policy = options.policy ? { policy: options.policy } : {}
  return {
    thread,
    chat: createChat({ history, model, system: lampPrompt, ...policy, backoffMs: 1 }),
  }
}

describe.each(policies)('the lamp with %s', (_, policy) => {
  it.each(['ollama', 'openai'] as const)(
    'takes ten follow-ups within 4096, through %s',
    async client => {
      expect(count.text(lampPrompt)).toBeGreaterThan(1800)
      const { chat, thread } = await begin({ policy, model: client })
      let current = thunderstorm
      const first = server.bodies.length
      for (const text of followUps) {
        const parts = await partsOf(chat.send(text, inChat))
        expect(warningsIn(parts)).toEqual([])
        // The current program was there in full, and was edited.
        expect(
          server.bodies.at(-1)!.messages.some(({ content }) => content.includes(current)),
        ).toBe(true)
        current = String((await thread.display()).at(-1)?.content)
        expect(programIn(current).steps).toHaveLength(8)
      }
      const { name, steps } = programIn(current)
      expect(name).toBe('thunderstorm')
      for (const { command } of steps)
        expect(command).toMatchObject({
          name: 'wave',
          params: { color: '#8000FF', color2: '#FF0000', speed: 0.25 },
        })
      expect(steps.map(({ duration }) => duration)).toEqual(
        [4, 4.4, 4.8, 5.2, 5.6, 6, 6.4, 6.8].map(s => s * 1000),
      )
      expect(server.bodies.length - first).toBe(10)
      if (client === 'ollama')
        for (const body of server.bodies.slice(first)) expect(body.options?.num_ctx).toBe(4096)
      expect(await statusesOf(thread)).toEqual(Array(10).fill('completed'))
      await expectValid(thread)
    },
  )
})

it('sends older exchanges as one line each, and the last two whole', async () => {
  const { chat } = await begin({ policy: tiered(), model: 'ollama' })
  for (const text of followUps.slice(0, 4)) await chat.send(text, inChat).result()
  const sent = server.bodies.at(-1)!.messages.map(({ content }) => content)
  expect(sent.filter(text => text.startsWith('{"program"'))).toHaveLength(2)
  expect(sent.join('\n')).toContain(
    '[Previous: "make it slower" → thunderstorm, 8 steps: breathing(#1A1A2E) → pulse(#FFFFFF)',
  )
})

it('loses nothing when a request fails: the next one edits what was there', async () => {
  const { chat, thread } = await begin({ model: 'ollama' })
  await chat.send('make it blue', inChat).result()
  fails = 9
  await expect(chat.send('make it red', inChat).result()).rejects.toMatchObject({
    code: 'model_unavailable',
  })
  fails = 0
  expect(
    programIn((await chat.send('make it slower', inChat).result()).text).steps[7],
  ).toMatchObject({
    command: { params: { color: '#0000FF', speed: 0.5 } },
  })
  expect(await statusesOf(thread)).toEqual(['completed', 'failed', 'completed'])
})

it('keeps the lamps of two people apart, also over a restart', async () => {
  const open = () => {
    const history = createHistory({ store: sqliteStore({ path: join(folder, 'log.db') }) })
    const chat = createChat({ history, model: server.ollama(), system: lampPrompt })
    const send = async (conversation: string, text: string) =>
      programIn((await chat.send(text, { conversation }).result()).text).steps[0]!.command
    return { history, send }
  }
  const before = open()
  await Promise.all([before.send('ada', 'blue waves'), before.send('ben', 'red fire')])
  await before.history.close()
  const after = open()
  expect(await after.send('ada', 'make it slower')).toMatchObject({
    name: 'wave',
    params: { color: '#0000FF' },
  })
  expect(await after.send('ben', 'make it slower')).toMatchObject({
    name: 'sparkle',
    params: { color: '#FF0000' },
  })
  await after.history.close()
})
