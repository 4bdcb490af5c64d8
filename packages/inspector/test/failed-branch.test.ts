import { upstreamWith } from '@throughline/models/fixtures'
import { openaiUpstream } from '@throughline/server/upstream/model-servers'
import { readerUpstream } from '@throughline/server/upstream/reader-upstream'
import { severalUpstreams } from '@throughline/server/upstream/upstreams'
import { openaiAnswer } from '@throughline/test-tools/scripted-upstream'
import { expect, it, onTestFinished } from 'vitest'
import { openPage, serveInspector } from './open-inspector.ts'

it('asks again one of several model servers: where that fails, the page says so, and lists no branch', async () => {
  let isAway = false
  const birds = await upstreamWith(({ path }) => {
    if (path !== '/v1/chat/completions') return { status: 404, body: {} }
    if (isAway) return { status: 500, body: { error: { message: 'out of memory' } } }
    return openaiAnswer([{ content: 'Heron.' }])
  })
  const upstream = severalUpstreams([
    { name: 'reader', upstream: readerUpstream(), patterns: ['reader'], options: {} },
    {
      name: 'birds',
      upstream: openaiUpstream({ url: birds.url, window: 4096 }),
      patterns: ['*'],
      options: {},
    },
  ])
  const served = await serveInspector({ isEmpty: true, upstream, retries: 0 })
  onTestFinished(() => served.stop())
  const asked = { input: 'A name for a boat?', model: 'm' }
  await (await served.ask('POST', '/conversations/boat/send', asked)).text()
  isAway = true
  const { page, faults } = await openPage(served, '/inspector/c/boat/context?turn=1')
  await page.getByRole('button', { name: 'Ask again' }).click()
  const answers = page.getByRole('dialog', { name: 'The old answer and the new one' })
  await answers.getByText('There is no new answer. The old branch stays as it is.').waitFor()
  await answers.getByText('out of memory').waitFor()
  expect(await answers.getByRole('link', { name: 'Open the new branch' }).count()).toBe(0)
  const { threads } = (await (await served.ask('GET', '/conversations/boat/threads')).json()) as {
    readonly threads: readonly { readonly branch: string; readonly isUnanswered: boolean }[]
  }
  const failed = threads.find(({ isUnanswered }) => isUnanswered)!.branch
  // The log keeps what was tried. Only its own address shows it.
  const branches = page.getByRole('complementary', { name: 'Branches' })
  await page.goto(`${served.url}/inspector/c/boat/chat?branch=${failed}`)
  await expect.poll(() => branches.getByRole('link').count()).toBe(2)
  await page.goto(`${served.url}/inspector/c/boat/chat`)
  await page.getByText('Heron.').first().waitFor()
  await expect.poll(() => branches.getByRole('link').count()).toBe(1)
  isAway = false
  await page.goto(`${served.url}/inspector/c/boat/context?turn=1`)
  await page.getByRole('button', { name: 'Ask again' }).click()
  await answers.getByRole('link', { name: 'Open the new branch' }).waitFor()
  await page.goto(`${served.url}/inspector/c/boat/chat`)
  await expect.poll(() => branches.getByRole('link').count()).toBe(2)
  expect(faults).toEqual([])
})
