import { defineExperimentTool, type ExperimentToolRun } from '@throughline/experiment'
import { rules } from '@throughline/models/reader'
import { readerUpstream } from '@throughline/server/upstream/reader-upstream'
import { experiments } from '@throughline/test-tools/experiment-plug'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  expectNoAxeInLong,
  expectNoAxeViolationsInThemes,
  isLong,
  narrow,
  openPage,
  type ServedInspector,
  serveInspector,
  shoot,
} from './open-inspector.ts'

type Values = { count: number; word: string; isOpen: boolean }

const add = defineExperimentTool({
  name: 'add',
  input: z.object({ by: z.int() }),
  run: ({ by }, { environment }: ExperimentToolRun<Values>) => {
    environment.count += by
    environment.isOpen = environment.count % 2 === 0
    return { count: environment.count, said: environment.word }
  },
})

/** Holds up models until they are let go: `held` are those that wait. */
function createGate() {
  const held: (() => void)[] = []
  let isOpen = true
  return {
    held,
    close() {
      isOpen = false
    },
    /** Lets the next one go, as soon as there is one. */
    async letOne() {
      await expect.poll(() => held.length).toBeGreaterThan(0)
      held.shift()?.()
    },
    open() {
      isOpen = true
      for (const go of held.splice(0)) go()
    },
    pass: () => (isOpen ? Promise.resolve() : new Promise<void>(go => held.push(go))),
  }
}

const gate = createGate()
const upstream = {
  ...readerUpstream(),
  model: (name: string) =>
    rules(
      async () => {
        if (name === 'held') await gate.pass()
        return name === 'talker'
          ? 'I only talk.'
          : { calls: [{ name: 'add', arguments: { by: 1 } }] }
      },
      { name, window: 4096 },
    ),
}

const plan = (changes: object = {}) => ({
  name: 'counting',
  environment: {
    count: { type: 'int', value: 0 },
    word: { type: 'string', value: 'hello' },
    isOpen: { type: 'bool', value: true },
  },
  roles: [
    { name: 'counter', model: 'held', system: 'You count.' },
    { name: 'witness', model: 'talker', tools: [], variables: ['count'], cap: 50 },
  ],
  goals: [{ description: 'counted to six', holds: 'count >= 6' }],
  maxSteps: 10,
  ...changes,
})

let served: ServedInspector
beforeAll(async () => {
  served = await serveInspector({ upstream, plugs: [experiments({ tools: [add] as never })] })
  await start('first', plan())
})
afterAll(() => {
  gate.open()
  return served.stop()
})

async function start(id: string, given: object) {
  const response = await served.ask('POST', '/experiments', { id, plan: given })
  if (!response.ok) throw new Error(await response.text())
}

const ended = async (id: string) => {
  await expect.poll(() => statusOf(id)).not.toBe('RUNNING')
}
const shown = async (id: string) =>
  (await (await served.ask('GET', `/experiments/${encodeURIComponent(id)}`)).json()) as {
    status: string
    steps: number
  }
const statusOf = async (id: string) => (await shown(id)).status

const status = (page: Page, text: string) =>
  page.getByRole('status').filter({ hasText: text }).first().waitFor()

describe('experiments', () => {
  it('starts one from a stored plan, is watched live, paused, resumed and stopped', async () => {
    await ended('first')
    gate.close()
    const { page, faults } = await openPage(served, '/inspector/e')
    await page.getByRole('heading', { name: '1 experiment has ended' }).waitFor()
    await page.getByRole('link', { name: 'Run again' }).click()
    await page.waitForURL('**/e?start=plan&of=first')
    await expect.poll(() => page.getByLabel('Plan as JSON').inputValue()).toContain('"counting"')
    await page.getByLabel('Name of the experiment').fill('second')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.waitForURL('**/e/second')
    await status(page, 'Running, step 1 of at most 10')
    await page.getByRole('button', { name: 'counter, step 1: acting now' }).waitFor()

    await gate.letOne()
    await status(page, 'Running, step 2 of at most 10')
    await page.getByRole('button', { name: 'counter, step 1: add {"by":1}' }).waitFor()
    await page.getByRole('button', { name: 'witness, step 1: I only talk.' }).waitFor()
    await page.getByText('1 of 6 after step 1').waitFor()

    await page.keyboard.press('p')
    await page.getByText('It pauses before the next role acts.').waitFor()
    expect(await statusOf('second')).toBe('RUNNING')
    await gate.letOne()
    await status(page, 'Paused after')
    expect(await statusOf('second')).toBe('PAUSED')
    await expectNoAxeInLong(page)

    await shoot(page, 'experiment-paused')
    // The counter has acted in step 2: the one act is the witness's, and it pauses again.
    await page.keyboard.press('.')
    await page.getByRole('button', { name: 'witness, step 2: I only talk.' }).waitFor()
    await expect.poll(() => statusOf('second')).toBe('PAUSED')
    await page.getByRole('button', { name: 'Resume' }).click()
    await status(page, 'Running')
    expect(await statusOf('second')).toBe('RUNNING')

    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('alertdialog', { name: 'Stop second for good?' }).waitFor()
    await expectNoAxeInLong(page)
    await page.keyboard.press('Escape')
    expect(await statusOf('second')).toBe('RUNNING')
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('button', { name: 'Stop it' }).click()
    gate.open()
    await status(page, 'Stopped after')
    expect(await statusOf('second')).toBe('STOPPED')
    // The list beside it was told too.
    await page.getByRole('link', { name: 'Stopped: second' }).waitFor()
    expect(faults).toEqual([])
  })

  it('opens with a plan that runs as it is, and runs it again from its board', async () => {
    const { page, faults } = await openPage(served, '/inspector/e?start=plan')
    await expect.poll(() => page.getByLabel('Plan as JSON').inputValue()).toContain('"two voices"')
    await page.getByLabel('Name of the experiment').fill('voices')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.waitForURL('**/e/voices')
    await ended('voices')
    await page.getByRole('button', { name: 'Run again' }).click()
    await page.waitForURL(url => !url.pathname.endsWith('/e/voices'))
    const again = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1)!)
    await ended(again)
    expect((await shown(again)).steps).toBe(3)
    expect(faults).toEqual([])
  })

  it('shows each problem of a pasted plan at its line, and starts it when it is mended', async () => {
    const { page, faults } = await openPage(served, '/inspector/e?start=plan')
    const editor = page.getByLabel('Plan as JSON')
    await editor.fill('{\n  "name": oops\n}')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByRole('button', { name: /^Line 2 This is no JSON/ }).waitFor()

    const wrong = plan({
      roles: [{ name: 'a', model: 'm', tools: ['add', 'fly'] }],
      goals: [{ description: 'x', holds: 'nope > 1' }],
    })
    await editor.fill(JSON.stringify({ ...wrong, maxSteps: 3 }, null, 2))
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByRole('button', { name: /^Line \d+ goals\[0\]\.holds/ }).waitFor()
    await editor.fill(JSON.stringify({ ...wrong, goals: [], maxSteps: 3 }, null, 2))
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    const problem = page.getByRole('button', { name: 'roles[0].tools[1] there is no tool "fly"' })
    await problem.click()
    const chosen = await editor.evaluate((field: HTMLTextAreaElement) =>
      field.value.slice(field.selectionStart, field.selectionEnd),
    )
    expect(chosen).toBe('"fly"')
    await expectNoAxeInLong(page)
    await shoot(page, 'start-problems')
    await editor.fill((await editor.inputValue()).replace(/,\s*"fly"/, ''))
    await page.getByLabel('Name of the experiment').fill('mended')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.waitForURL('**/e/mended')
    await ended('mended')
    await page.getByText('Max Steps Exceeded').first().waitFor()
    await page.goto(`${served.url}/inspector/e?start=plan&of=first`)
    await page.getByLabel('Name of the experiment').fill('first')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page
      .getByText(/"first" (exists|was begun|is taken)|There is an experiment "first"/)
      .waitFor()
    expect(faults).toEqual([])
  })

  it('is used by keys alone, keeps the selection in the address, and leads into the context', async () => {
    await ended('first')
    const { page, faults } = await openPage(served, '/inspector/e/first')
    await page.getByText('it holds').waitFor()
    await page.getByRole('complementary', { name: 'witness, step 6' }).waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('k')
    await page.waitForURL('**/e/first?role=counter&step=5')
    const panel = page.getByRole('complementary', { name: 'counter, step 5' })
    await panel.getByText('told by the step').waitFor()
    await panel.getByText('ended the turn').waitFor()
    await panel.getByRole('list', { name: 'What it changed' }).getByText('count').waitFor()
    const cell = page.getByRole('button', { name: 'counter, step 5' })
    await cell.focus()
    await page.keyboard.press('ArrowDown')
    await page.waitForURL('**/e/first?role=witness&step=5')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toContain('witness, step 5')
    await page.keyboard.press('ArrowLeft')
    await page.waitForURL('**/e/first?role=witness&step=4')
    await page.getByRole('img', { name: /^count: 4 in step 4\. Lowest 0, highest 6/ }).waitFor()
    await page.getByRole('img', { name: 'word: hello in step 4' }).waitFor()
    await page.reload()
    await page
      .getByRole('complementary', { name: 'witness, step 4' })
      .getByRole('link', { name: 'What it got' })
      .click()
    await page.waitForURL('**/c/first/context?actor=witness&turn=4&call=*')
    await page.goBack()
    await page.getByRole('complementary', { name: 'witness, step 4' }).waitFor()

    const log = page.getByRole('region', { name: 'Log' })
    await log.getByRole('cell', { name: /^step 6 ended the goal holds: counted to six/ }).waitFor()
    await log.getByRole('cell', { name: /^completed counted to six/ }).waitFor()
    await page.keyboard.press('v')
    await page.waitForURL('**/e/first?role=witness&step=4&plan=open')
    await page.getByRole('dialog').getByText('count >= 6', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.waitForURL('**/e/first?role=witness&step=4')
    await page.getByRole('rowheader', { name: 'witness' }).getByRole('link').click()
    await page.waitForURL('**/c/first/context?actor=witness')
    await page
      .getByRole('tree', { name: 'Entries of the log' })
      .getByRole('treeitem', { name: /^11 / })
      .waitFor()
    expect(faults).toEqual([])
  })

  it('passes axe in both themes, in every view', async () => {
    await ended('first')
    const { page, faults } = await openPage(served, '/inspector/e')
    const views = ['e/first', 'e', 'e?start=plan&of=first', 'e/first?plan=open']
    for (const path of isLong ? views : views.slice(0, 1)) {
      await page.goto(`${served.url}/inspector/${path}`)
      await page.getByText('counting').first().waitFor()
      await expectNoAxeViolationsInThemes(page, `experiments-${path.replace(/\W/g, '-')}`)
    }
    expect(faults).toEqual([])
  })

  it.runIf(isLong)(
    'shows texts of strangers as texts, long names and other scripts, also on a narrow screen',
    async () => {
      const evil = '<img src=x onerror="globalThis.harmed=1"><script>globalThis.harmed=1</script>'
      const long = `漁師・${'とても長い名前'.repeat(20)}${'x'.repeat(120)}`
      const id = `${evil} ${long}`
      await start(id, {
        name: evil,
        environment: {
          count: { type: 'int', value: 0 },
          isOpen: { type: 'bool', value: true },
          word: { type: 'string', value: evil },
          [long]: { type: 'string', value: long },
        },
        roles: [
          { name: evil, model: evil, system: evil },
          { name: long, model: 'talker', system: long },
        ],
        goals: [{ description: evil, holds: 'count >= 2' }],
      })
      await ended(id)
      const { page, faults } = await openPage(served, '/inspector/e', { viewport: narrow })
      const views = [`?role=${encodeURIComponent(evil)}&step=1`, '', '?plan=open']
      for (const view of views) {
        await page.goto(`${served.url}/inspector/e/${encodeURIComponent(id)}${view}`)
        await page.getByText('<img src=x').first().waitFor()
        await page.waitForTimeout(150)
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width)
        expect(
          await page.evaluate(
            () => 'harmed' in globalThis || document.querySelector('img, main script') !== null,
          ),
        ).toBe(false)
        await expectNoAxeInLong(page)
        await shoot(page, `experiments-narrow${view.replace(/[^a-z]+/g, '-').slice(0, 5)}`)
      }
      await page.goto(`${served.url}/inspector/e`)
      await page.getByText('<img src=x').first().waitFor()
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width)
      await expectNoAxeInLong(page)
      expect(faults).toEqual([])
    },
  )

  it.runIf(isLong)(
    'draws only the steps in sight of a long experiment, and reads what was done there',
    async () => {
      await start('long', plan({ roles: [{ name: 'talker', model: 'talker' }], maxSteps: 130 }))
      await expect.poll(() => statusOf('long')).not.toBe('RUNNING')
      const { page, faults } = await openPage(served, '/inspector/e/long?step=60&role=talker')
      await page.getByRole('button', { name: 'talker, step 60: I only talk.' }).waitFor()
      await page
        .getByRole('complementary', { name: 'talker, step 60' })
        .getByText('told by the step')
        .waitFor()
      const cells = page.getByRole('button', { name: /^talker, step / })
      expect(await cells.count()).toBeLessThan(70)
      await page.keyboard.press('End')
      await page.getByRole('button', { name: 'talker, step 130: I only talk.' }).waitFor()
      await page.keyboard.press('Home')
      await page.getByRole('button', { name: 'talker, step 1: I only talk.' }).waitFor()
      expect(await cells.count()).toBeLessThan(70)
      expect(faults).toEqual([])
    },
  )

  it('offers nothing that the key may not do', async () => {
    const admin = 'a-key-of-sixteen-characters'
    const locked = await serveInspector({ isEmpty: true, apiKeys: [admin] })
    try {
      await locked.ask('POST', '/samples/experiment')
      const made = await locked.ask('POST', '/keys', {
        name: 'looking',
        scopes: ['read', 'inspect'],
      })
      const { key } = (await made.json()) as { key: string }
      const { page } = await openPage(locked, '/inspector/e?start=plan&of=sample-lemonade-stand')
      await page.getByLabel('Key', { exact: true }).fill(key)
      await page.getByRole('button', { name: 'Open' }).click()
      await page.getByText('This key may not start experiments').waitFor()
      await expect
        .poll(() => page.getByRole('button', { name: 'Start', exact: true }).isDisabled())
        .toBe(true)
    } finally {
      await locked.stop()
    }
  })

  it('says that there is none yet and runs the sample; says what is not there', async () => {
    const empty = await serveInspector({ isEmpty: true })
    try {
      const { page, faults } = await openPage(empty, '/inspector/e')
      await page.getByRole('heading', { name: 'No experiments yet' }).waitFor()
      await page.getByRole('button', { name: 'Run the lemonade stand' }).click()
      await page.waitForURL('**/e/sample-lemonade-stand')
      await status(page, 'Completed after 14 steps')
      await page.goto(`${empty.url}/inspector/e/nowhere`)
      await page.getByRole('heading', { name: 'Not found' }).waitFor()
      expect(faults).toEqual([])
    } finally {
      await empty.stop()
    }
  })
})
