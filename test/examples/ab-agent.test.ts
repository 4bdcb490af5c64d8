import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAdaptorServer } from '@hono/node-server'
import { isLong } from '@throughline/test-tools/is-long'
import { startPostgres, whyNoPostgres } from '@throughline/test-tools/postgres'
import { UiChat } from '@throughline/test-tools/ui-chat'
import { createHistory } from 'throughline/history'
import { sqliteStore } from 'throughline/stores/sqlite'
import { readerServer } from 'throughline/testing'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { KeptBy, Message } from '../../examples/ab-agent/page/message.ts'
import { experiment } from '../../examples/ab-agent/states.ts'
import { startExample } from './start-example.ts'

const folder = mkdtempSync(join(tmpdir(), 'throughline-ab-agent-test-'))
const store = join(folder, 'log.db')
let url: string
beforeAll(async () => {
  url = await startExample('ab-agent', ['--port', '0', '--db', store])
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A browser's side of a conversation, which sends what the page sends. */
function browser(keptBy: KeptBy, id: string, messages: Message[] = []) {
  const chat = new UiChat(`${url}/api/${keptBy === 'store' ? 'chat' : 'carried'}`, {
    id,
    messages: messages as never,
    sendsOnlyNew: keptBy === 'store',
  })
  return {
    messages: () => chat.messages as unknown as readonly Message[],
    async say(text: string): Promise<Message> {
      await chat.say(text)
      expect(chat.error).toBeUndefined()
      return chat.lastMessage as unknown as Message
    },
  }
}

/** What the page begins with when it is loaded again. */
async function loaded(id: string): Promise<readonly Message[]> {
  const response = await fetch(`${url}/api/chat/${id}`)
  return ((await response.json()) as { readonly messages: readonly Message[] }).messages
}

const json = { 'content-type': 'application/json' }

/** The tools of a message with their states, such as `create_experiment output-error`. */
const toolsOf = ({ parts }: Message) =>
  parts.flatMap(part =>
    'toolCallId' in part ? [`${part.type.slice('tool-'.length)} ${part.state}`] : [],
  )

const resultOf = (message: Message, tool: string) =>
  message.parts.flatMap(part =>
    part.type === `tool-${tool}` && 'output' in part ? [part.output as Made] : [],
  )[0]!
interface Made {
  readonly jobIds: readonly string[]
  readonly experimentId: string
  readonly url: string
  readonly variants: readonly { readonly jobId: string }[]
}
const refusalIn = ({ parts }: Message) =>
  parts.flatMap(part => ('errorText' in part && part.errorText ? [part.errorText] : []))[0]

/** The process ids of the instances that run. */
async function running(): Promise<readonly number[]> {
  const instances = (await (await fetch(`${url}/api/instances`)).json()) as {
    readonly pid: number
  }[]
  return instances.map(({ pid }) => pid)
}

/** Kills an instance as a power cut does, and waits until the front knows. */
async function kill(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL')
  await expect.poll(running).not.toContain(pid)
}

/** Waits for the instance that was killed in an earlier test: it is started again. */
const both = () => expect.poll(running).toHaveLength(2)

describe.each(['browser', 'store'] as const)('the conversation is kept by the %s', keptBy => {
  it('goes from instance to instance, and is created only after a later yes', async () => {
    const chat = browser(keptBy, `steps-${keptBy}`)
    const none = await chat.say('Generate the variants.')
    expect(refusalIn(none)).toBe(
      'Error: No hypothesis available. Please generate hypotheses first using the generate_hypotheses tool.',
    )
    const ideas = await chat.say('Generate the hypotheses for https://shop.example/checkout')
    const made = await chat.say('variants for the third hypothesis')
    const shown = await chat.say('preview')
    expect(JSON.stringify(resultOf(made, 'generate_variants'))).toContain('Buy as a guest')
    const created = await chat.say('Yes, create the experiment.')
    const again = await chat.say('Yes, create it once more.')

    const instances = [none, ideas, made, shown, created, again].map(
      ({ metadata }) => metadata?.instance,
    )
    expect([
      [1, 2, 1, 2, 1, 2],
      [2, 1, 2, 1, 2, 1],
    ]).toContainEqual(instances)
    const jobs = resultOf(made, 'generate_variants').variants.map(({ jobId }) => jobId)
    expect(resultOf(created, 'create_experiment')).toMatchObject({
      jobIds: jobs,
      projectId: 'demo-shop',
    })
    expect(resultOf(again, 'create_experiment').experimentId).toBe(
      resultOf(created, 'create_experiment').experimentId,
    )
  })

  it('is refused in the turn of the preview, and when the variants are newer than the preview', async () => {
    const chat = browser(keptBy, `early-${keptBy}`)
    const early = await chat.say('Test https://shop.example/pricing and create it at once.')
    expect(toolsOf(early)).toEqual([
      'generate_hypotheses output-available',
      'generate_variants output-available',
      'preview_experiment output-available',
      'create_experiment output-error',
    ])
    expect(refusalIn(early)).toContain('The user has not confirmed a preview yet.')
    expect(toolsOf(await chat.say('No, leave it.'))).toEqual(['get_experiment output-available'])
    await chat.say('variants for the second hypothesis')
    expect(refusalIn(await chat.say('yes'))).toContain(
      'The variants were made anew after the preview.',
    )
    await chat.say('preview')
    expect(toolsOf(await chat.say('yes'))).toEqual(['create_experiment output-available'])
  })
})

it('keeps nothing of a conversation that the browser keeps, and all of the other', async () => {
  expect((await fetch(`${url}/api/chat/steps-browser`)).status).toBe(404)
  // The page was loaded again: the conversation goes on with what the database has.
  const messages = await loaded('steps-store')
  expect(messages.map(({ role }) => role)).toEqual(Array(6).fill(['user', 'assistant']).flat())
  const created = resultOf(messages.at(-3)!, 'create_experiment')
  const history = createHistory({ store: sqliteStore({ path: store, readOnly: true }) })
  const { value } = await history
    .thread('steps-store')
    .state(experiment, { projectId: 'demo-shop' })
  expect(value?.experimentId).toBe(created.experimentId)
  await history.close()
})

it('answers several conversations at the same time, from one file and without mixing them up', async () => {
  const run = async (shop: string) => {
    const chat = browser('store', `at-once-${shop}`)
    await chat.say(`Plan a test for https://${shop}.example/checkout`)
    return resultOf(await chat.say('yes'), 'create_experiment').url
  }
  const shops = ['ada', 'ben', 'cleo']
  expect(await Promise.all(shops.map(run))).toEqual(
    shops.map(shop => `https://${shop}.example/checkout`),
  )
})

it('does not take jobs of another project that a client put into its history', async () => {
  const chat = browser('browser', 'forged')
  await chat.say('Plan a test for https://shop.example/checkout')
  const forged = JSON.parse(
    JSON.stringify(chat.messages()).replaceAll('demo-shop', 'other-shop'),
  ) as Message[]
  const answer = await browser('browser', 'forged', forged).say('yes')
  expect(refusalIn(answer)).toContain('No variants available.')
})

it('answers a message that is sent twice once', async () => {
  const body = JSON.stringify({
    id: 'twice',
    messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'hello' }] }],
  })
  const post = () => fetch(`${url}/api/chat`, { method: 'POST', headers: json, body })
  const answers = [await (await post()).text(), await (await post()).text()]
  expect(answers.every(answer => answer.includes('finish'))).toBe(true)
  expect((await loaded('twice')).map(({ role }) => role)).toEqual(['user', 'assistant'])
})

it('refuses other pages, other names, and what is no conversation', async () => {
  const chat = `${url}/api/chat`
  const other = { method: 'POST', headers: { origin: 'https://evil.example' }, body: '{}' }
  expect((await fetch(chat, other)).status).toBe(403)
  const post = (path: string, body: object) =>
    fetch(`${url}/api/${path}`, { method: 'POST', headers: json, body: JSON.stringify(body) })
  expect((await post('chat', { id: 'a' })).status).toBe(400)
  const messages = [{ id: 'm', role: 'robot', parts: [] }]
  expect((await post('carried', { id: 'a', messages })).status).toBe(400)
  expect((await fetch(`${url}/assets/..%2fpackage.json`)).status).toBe(404)
})

it.each(isLong ? (['browser', 'store'] as const) : (['store'] as const))(
  'kept by the %s, ends the same when the instance that made the preview is killed before the yes',
  async keptBy => {
    await both()
    const chat = browser(keptBy, `killed-${keptBy}`)
    const plan = await chat.say('Plan a test for https://shop.example/checkout')
    await kill(plan.metadata!.pid!)
    const created = await chat.say('yes')
    expect(toolsOf(created)).toEqual(['create_experiment output-available'])
    expect(created.metadata!.pid).not.toBe(plan.metadata!.pid)
    expect(resultOf(created, 'create_experiment').jobIds).toEqual(
      resultOf(plan, 'generate_variants').variants.map(({ jobId }) => jobId),
    )
  },
)

/** Asks, and kills the instance when it has shown the preview. Says whether it was killed before its answer was whole. */
async function tear(id: string): Promise<boolean> {
  await both()
  const text = 'Plan a test for https://a.example/'
  const messages = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text }] }]
  const body = JSON.stringify({ id, messages })
  const response = await fetch(`${url}/api/chat`, { method: 'POST', headers: json, body })
  let seen = ''
  try {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      seen += chunk
      if (!/"tool-output-available".*"percent"/.test(seen)) continue
      process.kill(Number(/"pid":(\d+)/.exec(seen)![1]), 'SIGKILL')
      seen = ''
    }
  } catch {
    return true
  }
  return false
}

it('goes on when the instance is killed in the middle of an answer: what its tools made is in the log', async () => {
  let id = ''
  for (let tries = 1; id === '' && tries <= 5; tries++)
    if (await tear(`torn-${tries}`)) id = `torn-${tries}`
  expect(id).not.toBe('')
  // The turn may be held for the instance that is gone for a moment.
  let created: Message | undefined
  const confirm = async () => {
    const chat = new UiChat(`${url}/api/chat`, { id, sendsOnlyNew: true })
    await chat.say('yes')
    created = chat.lastMessage as unknown as Message
    return chat.error?.message
  }
  await expect.poll(confirm, { interval: 500 }).toBeUndefined()
  expect(toolsOf(created!)).toEqual(['create_experiment output-available'])
})

if (!isLong)
  console.info(
    'Skipped: the A/B agent with Ollama, and kept by the browser while an instance is killed, only in the long run',
  )

it.runIf(isLong)('works with a model of Ollama', async () => {
  const fetch = readerServer({ models: ['llama3.2'] })
  const server = createAdaptorServer({ fetch, overrideGlobalObjects: false })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const before = url
  const host = `http://127.0.0.1:${port}`
  const flags = ['--db', join(folder, 'o.db'), '--ollama', 'llama3.2', '--ollama-host', host]
  url = await startExample('ab-agent', ['--port', '0', ...flags])
  onTestFinished(() => {
    url = before
  })
  const chat = browser('store', 'by-ollama')
  await chat.say('call generate_hypotheses with {"url":"https://shop.example/checkout"}')
  await chat.say('call generate_variants')
  const preview = await chat.say('call preview_experiment')
  expect(toolsOf(preview)).toEqual(['preview_experiment output-available'])
  expect(preview.metadata?.model).toBe('llama3.2')
  // The stand-in calls a tool where it is told to, and such words are no whole yes.
  const refused = await chat.say('Yes, call create_experiment')
  expect(toolsOf(refused)).toEqual(['create_experiment output-error'])
})

const why = isLong ? whyNoPostgres() : 'only in the long run'
if (why) console.info(`Skipped: the A/B agent on PostgreSQL, ${why}`)
it.skipIf(why)(
  'ends the same on PostgreSQL, which two instances hold open at the same time',
  async () => {
    const postgres = await startPostgres()
    try {
      url = await startExample('ab-agent', ['--port', '0', '--db', postgres.url])
      const chat = browser('store', 'on-postgres')
      const plan = await chat.say('Plan a test for https://shop.example/checkout')
      await kill(plan.metadata!.pid!)
      expect(toolsOf(await chat.say('yes'))).toEqual(['create_experiment output-available'])
    } finally {
      await postgres.stop()
    }
  },
)

it('has a README of one screen and short files', () => {
  const folder = join(import.meta.dirname, '../../examples/ab-agent')
  const lines = (name: string) => readFileSync(join(folder, name), 'utf8').split('\n').length
  expect(lines('README.md')).toBeLessThanOrEqual(50)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name =>
    /\.(tsx?|css)$/.test(name),
  )
  expect(files.filter(name => lines(name) > 250)).toEqual([])
})
