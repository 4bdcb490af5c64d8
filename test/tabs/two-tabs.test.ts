import { postgresStore } from '@throughline/stores/postgres'
import { openBrowser, openPage } from '@throughline/test-tools/open-page'
import { describePostgres, startPostgres } from '@throughline/test-tools/postgres'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { backendNames } from './backends.ts'
import { startScriptedOllama } from './scripted-ollama.ts'
import { createTabServers } from './start-tabs.ts'

describePostgres(
  'two tabs of one chat, in a browser, each at a process of its own on one PostgreSQL',
  () => {
    let startTabServer: Awaited<ReturnType<typeof createTabServers>>
    beforeAll(async () => {
      startTabServer = await createTabServers()
      await openBrowser()
    })

    it.each(backendNames)(
      'lose no turn, for the user and for the model, with %s',
      async backend => {
        const postgres = await startPostgres()
        onTestFinished(() => postgres.stop())
        const { url: ollama, prompts } = await startScriptedOllama()
        const open = async () =>
          openPage({ url: await startTabServer({ backend, postgres: postgres.url, ollama }) })
        const first = await open()
        await say(first.page, 'One?')
        expect(await shown(first.page)).toEqual(['One?', 'Answer 1.'])
        const second = await open()
        expect(await shown(second.page)).toEqual(['One?', 'Answer 1.'])
        await say(first.page, 'Two?')

        // The second tab has not seen this turn: it goes on behind it, and is told of it.
        await say(second.page, 'Three?')
        const three = ['One?', 'Answer 1.', 'Two?', 'Answer 2.', 'Three?', 'Answer 3.']
        expect(await shown(second.page)).toEqual(three)
        expect(prompts.at(-1)).toEqual(three.slice(0, -1))

        // Now the first tab is stale. Another answer to its last message would stand aside: it is told to load the chat again.
        await first.page.getByRole('button', { name: 'Again' }).click()
        const alert = await first.page.getByRole('alert').textContent()
        expect(alert).toContain(
          'This chat has gone on elsewhere, perhaps in another tab. Load it again',
        )

        for (const { page } of [first, second]) {
          await page.reload()
          expect(await shown(page)).toEqual(three)
        }
        await say(first.page, 'Four?')
        expect(prompts.at(-1)).toEqual([...three, 'Four?'])
        await say(second.page, 'Five?')
        expect(prompts.at(-1)).toEqual([...three, 'Four?', 'Answer 4.', 'Five?'])
        expect(await shown(second.page)).toEqual([...prompts.at(-1)!, 'Answer 5.'])
        expect([...first.faults, ...second.faults]).toEqual([])

        const store = postgresStore({ url: postgres.url })
        onTestFinished(() => store.close())
        const [info] = await store.conversations('default', { only: 'talk' })
        expect(info!.threads).toMatchObject([{ branch: 'main', head: 10 }])
      },
    )
  },
)

async function say(page: Page, text: string): Promise<void> {
  const before = await page.getByRole('listitem').count()
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
  await page
    .getByRole('listitem')
    .nth(before + 1)
    .waitFor()
  await page.getByText('ready', { exact: true }).waitFor()
}

async function shown(page: Page): Promise<readonly string[]> {
  await page.getByRole('textbox', { name: 'Message' }).waitFor()
  return page.getByRole('listitem').allTextContents()
}
