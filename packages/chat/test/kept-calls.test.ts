import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHistory } from '@throughline/history'
import { type Model, ModelError, rules } from '@throughline/models'
import { sqliteStore } from '@throughline/stores/sqlite'
import { inChat, newHistory } from '@throughline/test-tools/chat-help'
import { afterAll, describe, expect, it } from 'vitest'
import { createChat } from '../src/index.ts'

/** A model that does in its first call what a test says, and answers in the others. */
function firstCall(stream: Model['stream']): Model {
  const answering = rules(() => 'Yes.')
  let calls = 0
  return {
    ...answering,
    stream: request => (++calls === 1 ? stream(request) : answering.stream(request)),
  }
}

describe('a model call is kept', () => {
  it('before it is sent, and with its outcome afterwards', async () => {
    const history = newHistory()
    const thread = history.thread('chat')
    const during: unknown[] = []
    const model = rules(async () => {
      during.push(...(await thread.calls()).map(({ status }) => status))
      return 'Yes.'
    })
    await createChat({ history, model }).send('Is it kept?', inChat).result()
    expect(during).toEqual(['sent'])
    expect(await thread.calls()).toMatchObject([
      { status: 'completed', turn: 1, model: 'rules', reported: expect.any(Number) },
    ])
  })

  it('when it failed: with its code and what was sent, each try for itself', async () => {
    const history = newHistory()
    const thread = history.thread('chat')
    const model = firstCall(async function* () {
      yield* []
      throw new ModelError('model_unavailable', 'Too many.', { status: 503 })
    })
    await createChat({ history, model, backoffMs: 1 }).send('Are you there?', inChat).result()
    const [last, first] = await thread.calls()
    expect(last).toMatchObject({ status: 'completed' })
    expect(first).toMatchObject({ status: 'failed', error: 'model_unavailable' })
    expect(await thread.dump(first)).toContain('Are you there?')
  })

  it('when it was cancelled, or its reader left', async () => {
    const history = newHistory()
    const thread = history.thread('chat')
    const hanging = firstCall(async function* ({ signal }) {
      yield { type: 'text-delta', text: 'Well' }
      await once(signal!, 'abort')
    })
    const stop = new AbortController()
    const reply = createChat({ history, model: hanging }).send('First.', {
      ...inChat,
      signal: stop.signal,
    })
    for await (const part of reply) if (part.type === 'text-delta') stop.abort()
    const endless = rules(() => 'Yes, and more of it.')
    for await (const part of createChat({ history, model: endless }).send('Second.', inChat))
      if (part.type === 'text-delta') break
    const calls = await thread.calls()
    expect(calls.map(({ status }) => status)).toEqual(['cancelled', 'cancelled'])
    expect(await thread.dump(calls[1])).toContain('First.')
  })

  it('by whoever calls a model himself', async () => {
    const history = newHistory()
    const thread = history.thread('chat')
    const started = await thread
      .begin({ role: 'user', content: 'x' })
      .then(async () => thread.startCall(await thread.context(), { model: 'm' }))
    expect((await thread.calls())[0]).toMatchObject({ status: 'sent' })
    await started.end({ status: 'failed', error: 'e' })
    expect((await thread.calls())[0]).toMatchObject({
      status: 'failed',
      error: 'e',
      id: started.call.id,
    })
  })
})

const folder = mkdtempSync(join(tmpdir(), 'throughline-calls-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Answers one turn, then is asked for another and says so. With `hang` its model never answers that one. */
const program = `
import { createChat } from 'throughline/chat'
import { createHistory } from 'throughline/history'
import { rules } from 'throughline/models'
import { sqliteStore } from 'throughline/stores/sqlite'
const [path, how] = process.argv.slice(1)
let asked = 0
const model = rules(async () => {
  if (++asked > 1) {
    process.stdout.write('asked\\n')
    if (how === 'hang') await new Promise(resolve => setTimeout(resolve, 60_000))
  }
  return 'Yes.'
})
const history = createHistory({ store: sqliteStore({ path }) })
const chat = createChat({ history, model })
await chat.send('My boat is called Heron.', { conversation: 'chat' }).result()
await chat.send('What is its name?', { conversation: 'chat' }).result()
process.stdout.write('answered\\n')
setTimeout(() => {}, 60_000)
`

describe('a process that is killed', () => {
  it.each([
    ['hang', 'asked', 'interrupted'],
    // The control: killed after the answer came.
    ['answer', 'answered', 'completed'],
  ])('leaves its calls: %s', async (how, until, status) => {
    const path = join(folder, `${how}.db`)
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, path, how], {
      cwd: join(import.meta.dirname, '../../..'),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let printed = ''
    for await (const chunk of child.stdout) {
      printed += String(chunk)
      if (printed.includes(until)) break
    }
    child.kill('SIGKILL')
    await once(child, 'exit')
    const history = createHistory({ store: sqliteStore({ path }) })
    const thread = history.thread('chat')
    const [last, first] = await thread.calls()
    expect([first?.status, last?.status]).toEqual(['completed', status])
    const sent = await thread.dump(last)
    expect(sent).toContain('What is its name?')
    expect(sent).toContain('My boat is called Heron.')
    await history.close()
  })
})
