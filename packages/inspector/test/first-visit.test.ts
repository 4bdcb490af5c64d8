import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import Anthropic from '@anthropic-ai/sdk'
import { ChatOllama } from '@langchain/ollama'
import { readerUpstream } from '@throughline/server/upstream/reader-upstream'
import { generateText } from 'ai'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { samplePicture } from '../src/views/first-visit/sample-picture-data.ts'
import {
  expectNoAxeInLong,
  expectNoAxeViolationsInThemes,
  expectSaid,
  isLong,
  narrow,
  openPage,
  type ServedInspector,
  sample,
  serveInspector,
  shoot,
} from './open-inspector.ts'

let empty: ServedInspector
let used: ServedInspector
beforeAll(async () => {
  empty = await serveInspector({ isEmpty: true })
  used = await serveInspector()
})
afterAll(async () => {
  await empty.stop()
  await used.stop()
})

const title = 'See what the model saw, and why it forgot'

describe('the first visit', () => {
  it('is what an empty server shows, in both themes', async () => {
    const { page, faults } = await openPage(empty)
    await page.getByRole('heading', { name: title }).waitFor()
    await page.getByText('There is nothing here yet.').waitFor()
    await page.getByText('The built-in reader answers').waitFor()
    await page.getByText('Use another model').click()
    await page.getByText('A message brings back only what its own conversation has').waitFor()
    await page.getByText('Remember across conversations').click()
    await page.getByText('throughline serve --remember person').waitFor()
    await expectNoAxeViolationsInThemes(page, 'first-visit')
    expect(faults).toEqual([])
  })

  it.runIf(isLong)('stands on a narrow screen', async () => {
    const { page, faults } = await openPage(empty, '/inspector?to=codex', { viewport: narrow })
    await page.getByText('[model_providers.throughline]').waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width)
    await expectNoAxeInLong(page)
    await shoot(page, 'first-visit-narrow')
    expect(faults).toEqual([])
  })

  it.runIf(isLong)('can be reached later, by the rail and by keys', async () => {
    const { page, faults } = await openPage(used, '/inspector/settings')
    // The page of settings has such a link too; the rail stands first.
    await page.getByRole('link', { name: 'Connect a client' }).first().click()
    await page.waitForURL('**/inspector/welcome')
    await page.getByRole('heading', { name: title }).waitFor()
    expect(await page.getByText('There is nothing here yet.').count()).toBe(0)
    await page.keyboard.press('g')
    await page.keyboard.press('p')
    await page.waitForURL('**/inspector/settings')
    await page.keyboard.press('g')
    await page.keyboard.press('w')
    await page.waitForURL('**/inspector/welcome')
    expect(faults).toEqual([])
  })

  it('opens the sample conversation and runs the lemonade stand, by keys alone', async () => {
    const fresh = await serveInspector({ isEmpty: true })
    const { page, faults } = await openPage(fresh)
    await page.getByRole('button', { name: 'Run the lemonade stand' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/e/sample-lemonade-stand')
    await page.goto(`${fresh.url}/inspector/welcome`)
    await page.getByRole('button', { name: 'Open the sample conversation' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/c/sample-toad-patrol/context')
    await expect.poll(() => page.title()).toBe('Toad patrol · Throughline')
    await page.goto(`${fresh.url}/inspector/welcome`)
    await page.getByRole('button', { name: 'Start a conversation' }).press('Enter')
    await page.waitForURL(/\/c\/chat-\d{4}-\d\d-\d\d-\d{6}\/chat$/)
    expect(faults).toEqual([])
    await fresh.stop()
  })

  it('shows the first message when it comes', async () => {
    const fresh = await serveInspector({ isEmpty: true })
    const { page, faults } = await openPage(fresh)
    await page.getByText('Waiting for the first message').waitFor()
    await page.getByRole('link', { name: 'Server live: reader' }).waitFor()
    await fetch(`${fresh.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'reader', messages: [{ role: 'user', content: 'Hello!' }] }),
    })
    await page.getByRole('heading', { name: title }).waitFor({ state: 'detached' })
    expect(faults).toEqual([])
    await fresh.stop()
  })

  it('says what a key may not do, and asks for one in the lines', async () => {
    const key = 'a-key-of-sixteen-characters'
    const locked = await serveInspector({ isEmpty: true, apiKeys: [key] })
    const made = await locked.ask('POST', '/keys', {
      name: 'looks on',
      scopes: ['read', 'inspect'],
    })
    const { key: lesser } = (await made.json()) as { key: string }
    const { page, faults } = await openPage(locked)
    await page.getByLabel('Key', { exact: true }).fill(lesser)
    await page.keyboard.press('Enter')
    const start = page.getByRole('button', { name: 'Open the sample conversation' })
    await start.waitFor()
    await expect.poll(() => start.isDisabled()).toBe(true)
    await page.getByText('This key may not: it needs the scope admin').first().waitFor()
    await page.getByText('This server asks for a key.').waitFor()
    expect(await lineOf(page, 'OpenAI')).toBe(
      `export OPENAI_BASE_URL=${locked.url}/v1 OPENAI_API_KEY=YOUR_KEY`,
    )
    expect(await page.content()).not.toContain(lesser)
    await expectNoAxeInLong(page)
    expect(faults).toEqual([])
    await locked.stop()
  })

  it('gives the name of a model to a shell as a name, whatever it is', async () => {
    const reader = readerUpstream()
    const name = `x'; rm -rf ~ #`
    const hostile = await serveInspector({
      isEmpty: true,
      upstream: { ...reader, models: async () => [{ name }] },
    })
    const { page, faults } = await openPage(hostile)
    expect(await lineOf(page, 'Ollama')).toBe(
      `OLLAMA_HOST=${hostile.url} ollama run 'x'\\''; rm -rf ~ #'`,
    )
    expect(await evaluated(await lineOf(page, 'AI SDK'), { createOpenAICompatible })).toMatchObject(
      {
        modelId: name,
      },
    )
    expect(faults).toEqual([])
    await hostile.stop()
    await reader.close()
  })
})

describe('the lines for clients', () => {
  it('are copied whole', async () => {
    const { page, faults } = await openPage(empty, '/inspector?to=codex', {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const panel = page.getByRole('tabpanel', { name: 'Codex' })
    await expectSaid(page, 'Copied', () => panel.getByRole('button', { name: 'Copy' }).click())
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toContain(`base_url = "${empty.url}/v1"\nwire_api = "responses"`)
    expect(faults).toEqual([])
  })

  it('work as they are, with the real clients', async () => {
    const { page, faults } = await openPage(used, '/inspector/welcome')
    const hello = [{ role: 'user' as const, content: 'My locker code is 4471.' }]
    const answer = /4471/

    const ollama = environment(await lineOf(page, 'Ollama'))
    const told = await new Ollama({ host: ollama.OLLAMA_HOST! }).chat({
      model: 'reader',
      messages: hello,
    })
    expect(told.message.content).toMatch(answer)

    const openai = environment(await lineOf(page, 'OpenAI'))
    const client = new OpenAI({ baseURL: openai.OPENAI_BASE_URL!, apiKey: openai.OPENAI_API_KEY! })
    const completed = await client.chat.completions.create({ model: 'reader', messages: hello })
    expect(completed.choices[0]?.message.content).toMatch(answer)

    const claude = environment(await lineOf(page, 'Claude Code'))
    const anthropic = new Anthropic({
      baseURL: claude.ANTHROPIC_BASE_URL!,
      authToken: claude.ANTHROPIC_AUTH_TOKEN!,
    })
    const message = await anthropic.messages.create({
      model: 'reader',
      max_tokens: 100,
      messages: hello,
    })
    expect(JSON.stringify(message.content)).toMatch(answer)

    const codex = /base_url = "(.*)"/.exec(await lineOf(page, 'Codex'))?.[1]
    const responses = new OpenAI({ baseURL: codex!, apiKey: 'none' })
    const response = await responses.responses.create({ model: 'reader', input: hello })
    expect(response.output_text).toMatch(answer)

    const chat = (await evaluated(await lineOf(page, 'LangChain'), { ChatOllama })) as ChatOllama
    expect(String((await chat.invoke('My locker code is 4471.')).content)).toMatch(answer)

    const model = await evaluated(await lineOf(page, 'AI SDK'), { createOpenAICompatible })
    expect((await generateText({ model: model as never, messages: hello })).text).toMatch(answer)

    const zed = JSON.parse(`{${await lineOf(page, 'Zed')}}`)
    expect(zed.language_models.ollama.api_url).toBe(used.url)
    expect(environment(await lineOf(page, 'Open WebUI')).OLLAMA_BASE_URL).toBe(used.url)
    expect(await lineOf(page, 'Home Assistant')).toBe(used.url)

    const [, address, body] = /^curl (\S+) -d '(.*)'$/.exec(await lineOf(page, 'curl')) ?? []
    expect((await fetch(address!, { method: 'POST', body: body! })).status).toBe(200)
    expect(faults).toEqual([])
  })
})

it('shows a picture that is true', async () => {
  const ask = async (query: string) =>
    (await (
      await used.ask('GET', `/conversations/${sample}/context?messages=false&${query}`)
    ).json()) as {
      tokens: number
      at: number
      prefix: { tokens: number }
      sent: { part: string; tokens: number; seqs: number[]; standsFor: number[] }[]
    }
  const { at, tokens, sent, prefix } = await ask('since=521')
  expect(samplePicture).toEqual({
    messages: at,
    tokens,
    reused: prefix.tokens,
    sent: sent.map(row => [row.part, row.tokens, ...row.seqs, ...row.standsFor]),
  })
})

/** The line that the page shows for a client. */
async function lineOf(page: Page, client: string): Promise<string> {
  await page.getByRole('tab', { name: client, exact: true }).click()
  return page.getByRole('tabpanel', { name: client, exact: true }).locator('pre').innerText()
}

/** The variables that a line of a shell sets. */
const environment = (line: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...line.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name!, value!]),
  )

/** What a line of JavaScript makes. */
const evaluated = async (line: string, given: object): Promise<unknown> =>
  new Function(...Object.keys(given), `return ${line}`)(...Object.values(given))
