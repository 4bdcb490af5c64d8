import { createHistory } from '@throughline/history'
import type { StartedCall } from '@throughline/history/calls'
import { toLines } from '@throughline/test-tools/sample-lines'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  expectNoAxeInLong,
  expectNoAxeViolationsInThemes,
  isLong,
  narrow,
  openPage,
  type ServedInspector,
  sample,
  serveInspector,
  shoot,
} from './open-inspector.ts'

let served: ServedInspector
beforeAll(async () => {
  served = await serveInspector()
})
afterAll(() => served.stop())

const address = `/inspector/c/${sample}/context`
const log = (page: Page) => page.getByRole('tree', { name: 'Entries of the log' })
const sent = (page: Page) => page.getByRole('tree', { name: 'Messages in the order of the prompt' })

/** One task that takes many rounds with long results. */
const agentTurn = (rounds: number) => [
  {
    role: 'user',
    content: 'Read the log of every weather station and tell me which one was the warmest.',
  },
  ...Array.from({ length: rounds }, (_, n) => [
    {
      role: 'assistant',
      content: `Now station ${n}.`,
      tool_calls: [
        { id: `c${n}`, type: 'function', function: { name: 'read', arguments: `{"n":${n}}` } },
      ],
    },
    {
      role: 'tool',
      tool_call_id: `c${n}`,
      content: `Station ${n}\n${'12 degrees at noon, a west wind\n'.repeat(20)}`,
    },
  ]).flat(),
]

describe('the view of the context', () => {
  it('answers what reached the model, why, and where it would survive; axe finds nothing in both themes', async () => {
    const { page, faults } = await openPage(served, `${address}?entry=21`, { colorScheme: 'light' })
    await page.getByRole('heading', { name: '50 of 523 messages would reach the model' }).waitFor()
    await page
      .getByRole('img', { name: /3,\d{3} of 4,096 tokens are sent, \d{3} are free/ })
      .waitFor()
    await page.getByText('cached prefix (estimate), to here').waitFor()
    await sent(page).getByText('10 messages, asked for by #523').waitFor()
    await sent(page).getByText('Also, at the end of all this').waitFor()
    await page.getByRole('heading', { name: 'Brought back #21' }).waitFor()
    await page.getByText('#523 asks for it:').waitFor()
    const matrix = page.getByRole('table', {
      name: 'Entry 21 in other windows and with other policies',
    })
    await expect
      .poll(() => matrix.getByRole('button', { name: 'brought back' }).count())
      .toBeGreaterThan(5)
    // The life of the entry, when all turns are read.
    await page.getByText(/not sent \d+.*brought back now$/).waitFor()
    await expectNoAxeViolationsInThemes(page, 'context')
    expect(faults).toEqual([])
  })

  it('goes through turns and entries by keys, finds, filters, and clears step by step', async () => {
    const { page, faults } = await openPage(served, `${address}?turn=166&entry=100`)
    await page
      .getByRole('heading', { name: /^\d+ of 51\d messages would reach the model/ })
      .waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.waitForURL('**/context?turn=165&entry=100')
    await page.keyboard.press('Shift+ArrowLeft')
    await page.waitForURL('**/context?turn=155&entry=100')
    await page.keyboard.press('End')
    await page.waitForURL('**/context?entry=100')
    await page.getByRole('heading', { name: '50 of 523 messages would reach the model' }).waitFor()
    // The selection stays, although it was not sent in this turn.
    await log(page)
      .getByRole('treeitem', { name: /^100 user On the bus/, selected: true })
      .waitFor()
    await page.getByRole('heading', { name: 'Not sent #100' }).waitFor()
    await page.keyboard.press('J')
    await page.waitForURL('**/context?entry=167')
    // A fold is opened and closed where the keys are.
    await page.keyboard.press('k')
    await page.keyboard.press('Enter')
    await log(page).getByRole('treeitem', { name: /^22 /, selected: true }).waitFor()
    await log(page)
      .getByRole('treeitem', { name: /^23 (?!not)/ })
      .waitFor()
    await page.keyboard.press('Enter')
    await log(page)
      .getByRole('treeitem', { name: /^23 (?!not)/ })
      .waitFor({ state: 'detached' })
    await page.keyboard.press('J')
    await page.waitForURL('**/context?entry=167')
    await page.keyboard.press('/')
    await page.keyboard.type('grid reference')
    await page.waitForURL('**q=grid+reference**')
    await log(page)
      .getByRole('treeitem', { name: /^21 user/ })
      .waitFor()
    await page.keyboard.press('Escape')
    await page.waitForURL('**/context?entry=167')
    await page.getByRole('button', { name: '10 brought back' }).click()
    await page.waitForURL('**fate=recalled**')
    await expect.poll(() => log(page).getByRole('treeitem').count()).toBe(10)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.waitForURL(/context$/)
    expect(faults).toEqual([])
  })

  it('plays the turns to the last one; the button, Escape and p stop it', async () => {
    const { page, faults } = await openPage(served, `${address}?turn=163`, {
      reducedMotion: 'reduce',
    })
    await page.getByRole('button', { name: 'Play the turns' }).click()
    await page.waitForURL('**/context?turn=164')
    await page.getByRole('button', { name: 'Stop playing' }).click()
    const stopped = new URL(page.url()).searchParams.get('turn')
    await page.waitForTimeout(1500)
    expect(new URL(page.url()).searchParams.get('turn')).toBe(stopped)
    // Nothing moves for those who asked for that.
    await page.keyboard.press('p')
    await page.getByRole('button', { name: 'Stop playing' }).waitFor()
    const row = sent(page).getByRole('treeitem').first()
    // A row that has just gone has no style.
    await expect
      .poll(() => row.evaluate(one => getComputedStyle(one).transitionDuration))
      .toBe('0s')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Play the turns' }).waitFor()
    await page.keyboard.press('p')
    // It ends by itself at the last turn, which the view then follows.
    await page.waitForURL(/context$/)
    await page.getByRole('button', { name: 'Play the turns' }).waitFor()
    // From there it begins anew.
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await page.keyboard.press('p')
    await page.waitForURL('**/context?turn=1')
    await page.getByRole('button', { name: 'Stop playing' }).waitFor()
    await expect
      .poll(() => row.evaluate(one => getComputedStyle(one).transitionDuration))
      .toContain('0.35s')
    await page.waitForURL('**/context?turn=2')
    await expectNoAxeInLong(page)
    expect(faults).toEqual([])
  })

  it('stands on a narrow screen: the strip, what the model got, the entry as a sheet', async () => {
    const { page, faults } = await openPage(served, `${address}?entry=21`, {
      viewport: narrow,
      hasTouch: true,
    })
    await page.getByRole('heading', { name: 'Brought back #21' }).waitFor()
    await sent(page).getByText('10 messages, asked for by').waitFor()
    await expectNoAxeInLong(page)
    await shoot(page, 'context-narrow')
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(narrow.width)
    await page.getByRole('button', { name: 'Close' }).click()
    await page.waitForURL(/context$/)
    await page.getByRole('button', { name: 'The log' }).click()
    await log(page).getByText('145 not sent').waitFor()
    await expectNoAxeInLong(page)
    expect(faults).toEqual([])
  })

  it('shows a long result as the line that was sent for it, and a long turn call by call', async () => {
    const lines = toLines(agentTurn(60), { conversation: 'agent', title: 'Agent' })
    expect((await served.ask('POST', '/import', lines)).status).toBe(200)
    const { counts, stretches } = await (
      await served.ask('GET', '/conversations/agent/context')
    ).json()
    const { first: seq } = stretches.find(
      ({ fate }: { readonly fate: string }) => fate === 'cleared',
    )
    const { page, faults } = await openPage(served, `/inspector/c/agent/context?entry=${seq}`)
    await page.getByRole('button', { name: `${counts.cleared} cleared` }).waitFor()
    await page.getByRole('heading', { name: `Cleared: sent as one line #${seq}` }).waitFor()
    await page.getByText(`Cleared: 228 tokens, in the log as #${seq}.`).waitFor()
    const name = new RegExp(`Not the result: #${seq} \\(228 tokens\\)`)
    await sent(page).getByRole('treeitem', { name, selected: true }).waitFor()
    await log(page)
      .getByRole('treeitem', { name: new RegExp(`^${seq} tool Station`), selected: true })
      .waitFor()
    await page.getByRole('heading', { name: 'Its life, by call' }).waitFor()
    await page.getByText(/^kept .*cleared \d+ to now$/).waitFor()
    if (isLong) await expectNoAxeViolationsInThemes(page, 'context-cleared')
    const calls = page.getByRole('slider', { name: 'Call' })
    expect(await calls.getAttribute('aria-valuemax')).toBe('61')
    await calls.click({ position: { x: 4, y: 10 } })
    await page.getByText('call 1 of 61').waitFor()
    expect(faults).toEqual([])
  })

  it('shows what was sent in stored calls, follows new ones at the end, and stays elsewhere', async () => {
    const say = async (input: string) =>
      (await served.ask('POST', '/conversations/talk/send', { input, system: 'Be brief.' })).text()
    await say('My locker code is 4471.')
    const { page, faults } = await openPage(served, '/inspector/c/talk/context')
    await page.getByRole('heading', { name: '1 of 1 message reached the model' }).waitFor()
    await page.getByText(/the model reported/).waitFor()
    await page.getByText('Turn 1', { exact: true }).waitFor()
    await say('And my bike is green.')
    await page.getByRole('heading', { name: '3 of 3 messages reached the model' }).waitFor()
    await page.getByText('Turn 2', { exact: true }).waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.waitForURL('**/context?turn=1')
    await say('What is my locker code?')
    await expect.poll(() => page.getByRole('slider').getAttribute('aria-valuemax')).toBe('3')
    await page.getByRole('heading', { name: '1 of 1 message reached the model' }).waitFor()
    expect(faults).toEqual([])
  })

  it('shows a context that does not fit past the end of the window, and any text as a text', async () => {
    const hostile = '<img src=x onerror=alert(1)> 格子番号は忘れないでください。'
    const messages = [
      { role: 'system', content: `${hostile} ${'very long '.repeat(6000)}` },
      { role: 'user', content: `${'長い名前'.repeat(200)} ${hostile}` },
    ]
    await served.ask(
      'POST',
      '/import',
      toLines(messages, { conversation: 'too/large 両生類', title: hostile }),
    )
    const { page, faults } = await openPage(
      served,
      `/inspector/c/${encodeURIComponent('too/large 両生類')}/context?entry=2`,
    )
    await page.getByText('over: the part that is always sent does not fit').waitFor()
    await page.getByRole('heading', { name: 'Kept as it is #2' }).waitFor()
    await page.getByText(/is always sent\.$/).waitFor()
    expect(await page.locator('img').count()).toBe(0)
    await expectNoAxeInLong(page)
    await shoot(page, 'context-over')
    expect(faults).toEqual([])
  })

  it('says what is not there: no such turn, nothing asked yet, no such conversation', async () => {
    await served.ask(
      'POST',
      '/import',
      toLines([{ role: 'user', content: 'Hello' }], { conversation: 'short', title: '' }),
    )
    const { page, faults } = await openPage(served, '/inspector/c/short/context?turn=999')
    await page.getByRole('heading', { name: 'There is no turn 999' }).waitFor()
    await expectNoAxeInLong(page)
    await page.goto(`${served.url}/inspector/c/none/context`)
    await page.getByRole('heading', { name: 'There is no conversation “none”' }).waitFor()
    await expectNoAxeInLong(page)
    expect(faults).toEqual([])
  })

  it('says how a call went that did not go well, what to do, and that an answer is being written', async () => {
    const history = createHistory({ store: served.store })
    /** A turn with one call, which ends as given; without an end it is still open. */
    const turn = async (conversation: string, end?: Parameters<StartedCall['end']>[0]) => {
      const thread = history.thread(conversation)
      const begun = await thread.begin({ role: 'user', content: 'Is the pond frozen?' })
      const call = await thread.startCall(await thread.context({ window: 8192 }), {
        model: 'llama3.2',
      })
      if (!end || begun.kind !== 'begun') return
      await call.end(end)
      await begun.turn.complete({ role: 'assistant', content: 'Not yet.' })
    }
    await turn('went-wrong', { status: 'failed', error: 'model_unavailable' })
    await turn('went-away', { status: 'cancelled' })
    await turn('was-cut', { status: 'completed', reported: 7, warnings: ['prompt_truncated'] })
    await turn('is-open')
    const notices = {
      'went-wrong':
        'Failed (model_unavailable): The model server does not answer: start it, then try again.',
      'went-away': 'Cancelled: the reply was stopped before its end.',
      'was-cut': 'The model server has cut the prompt in silence: it read 7 of',
      'is-open': 'Answering. Turn 1',
    }
    const all = Object.entries(notices)
    for (const [conversation, notice] of isLong ? all : all.slice(2)) {
      const { page, faults } = await openPage(served, `/inspector/c/${conversation}/context?turn=1`)
      await page.getByText(notice).waitFor()
      await expectNoAxeInLong(page)
      await shoot(page, `context-${conversation}`)
      if (conversation === 'was-cut') {
        await page.getByRole('link', { name: 'Compare with a window of 7' }).click()
        await page.waitForURL('**/context?**b=7.balanced**')
      }
      expect(faults).toEqual([])
      await page.close()
    }
  })
})
