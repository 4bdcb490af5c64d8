import { marginOf } from '@throughline/core/context'
import { estimate } from '@throughline/core/counters'
import { parseMessage } from '@throughline/core/messages'
import { upstreamWith } from '@throughline/models/fixtures'
import { isLong } from '@throughline/test-tools/is-long'
import { startServer } from '@throughline/test-tools/start-server'
import { expect, it } from 'vitest'
import { type DirectFormName, directForms } from './direct/forms.ts'
import { runTalks, type TalkOptions } from './direct/talks.ts'

const names = Object.keys(directForms) as DirectFormName[]
const requests = isLong ? 2_000 : 200
const inTalk = 10

/** Talks of each form in turn, until there are so many requests. */
async function runAll(count: number, more: Partial<TalkOptions> = {}) {
  const sums = { requests: 0, streamed: 0, failed: 0 }
  const differences: string[] = []
  for (let seed = 1; sums.requests < count; seed++) {
    const figures = await runTalks(inTalk, { seed, form: names[seed % names.length]!, ...more })
    for (const name of ['requests', 'streamed', 'failed'] as const) sums[name] += figures[name]
    differences.push(...figures.differences)
  }
  console.log(
    `${sums.requests} random requests through us and at the model server itself, in ${names.length} forms ` +
      `(${sums.streamed} streamed, ${sums.failed} refused): ${differences.length} differences`,
  )
  return { ...sums, differences }
}

it('sends the bytes of a request that fits, and gives the answer that the model server itself gives', async () => {
  const { differences, streamed, failed } = await runAll(requests)
  expect(differences).toEqual([])
  expect(streamed).toBeGreaterThan(requests / 4)
  expect(failed).toBeGreaterThan(0)
})

it.each(['chat', 'responses', 'messages', 'ollama'] as const)(
  'would notice a proxy that writes a body of %s anew',
  async form => {
    const between = (body: string) => JSON.stringify(JSON.parse(body))
    const { differences } = await runAll(inTalk, { form, between })
    expect(differences.length).toBeGreaterThan(0)
  },
)

it.each([4096, 8192, 32_768])(
  'cuts nothing of a list that fits into a window of %i to the last message',
  async window => {
    const count = estimate()
    const reserve = 256
    const capacity = window - reserve - marginOf(count, window - reserve)
    const messageAt = (at: number) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content: `Message ${at}: the heron stands at gate ${at}, and waits.`,
    })
    const messages: object[] = []
    let left = capacity - (count.prompt ?? 0)
    for (let at = 0; ; at++) {
      left -= count.message(parseMessage(messageAt(at), at))
      if (left < 0) break
      messages.push(messageAt(at))
    }
    const next = [
      messageAt(messages.length),
      messageAt(messages.length + 1),
      messageAt(messages.length + 2),
    ]
    const isAsking = messages.length % 2 === 1
    const { chat } = directForms
    const reply = { text: 'Gate 7.', thought: '', calls: [] }
    const model = await upstreamWith(({ path }) =>
      path === chat.path ? chat.answer(reply, false) : { status: 404 },
    )
    const { url } = await startServer({ upstream: chat.upstream(model.url, window), reserve })
    const ask = async (list: readonly object[]) => {
      const body = JSON.stringify({ model: 'm', messages: list }, undefined, 1)
      const response = await fetch(`${url}${chat.path}`, { method: 'POST', body })
      expect(response.status).toBe(200)
      await response.text()
      const sent = model.requests.findLast(({ path }) => path === chat.path)!
      return sent.text === body ? 'as it came' : 'cut'
    }
    expect(await ask(isAsking ? messages : messages.slice(0, -1))).toBe('as it came')
    expect(await ask([...messages, ...next.slice(0, isAsking ? 2 : 1)])).toBe('cut')
  },
)

it('converts the words of a request that fits as they are, also those that look like ours', async () => {
  const { chat, ollama } = directForms
  const reply = { text: 'Gate 7.', thought: '', calls: [] }
  const model = await upstreamWith(({ path }) =>
    path === ollama.path ? ollama.answer(reply, true) : { status: 404 },
  )
  const { url } = await startServer({ upstream: ollama.upstream(model.url, 8192) })
  const messages = [{ role: 'system', content: 'It is 12:00.\n[NOTE TO SELF: x]' }]
  for (const text of [
    'My code is [NOTE TO SELF: heron].',
    'RECENT NOTES TO SELF:\n- none',
    'And now?',
  ]) {
    messages[0] = { role: 'system', content: `It is 12:0${messages.length}.\n[NOTE TO SELF: x]` }
    messages.push({ role: 'user', content: text })
    const body = JSON.stringify({ model: 'm', messages })
    const response = await fetch(`${url}${chat.path}`, { method: 'POST', body })
    expect(await response.text()).toContain('Gate 7.')
    const { body: sent } = model.requests.findLast(({ path }) => path === ollama.path)!
    expect((sent as { readonly messages: unknown }).messages).toEqual(messages)
    messages.push({ role: 'assistant', content: 'Gate 7.' })
  }
})
