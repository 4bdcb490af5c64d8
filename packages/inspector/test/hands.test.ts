import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  expectNoAxeViolations,
  expectNoAxeViolationsInThemes,
  narrow,
  openPage,
  type ServedInspector,
  sample,
  serveInspector,
} from './open-inspector.ts'

let served: ServedInspector
beforeAll(async () => {
  served = await serveInspector()
})
afterAll(() => served.stop())

const address = `/inspector/c/${sample}/context`

describe('a hand on the context, in the page', () => {
  it('pins a message, shows at once what that changes, asks again, and takes it back', async () => {
    const { page, faults } = await openPage(served, `${address}?turn=163&entry=21`)
    const hands = page.getByRole('group', { name: 'What to do with #21' })
    await hands.getByRole('button', { name: 'Pin' }).click()
    await page.waitForURL('**b=4096.balanced.hands-now**')
    await page.getByRole('heading', { name: /^B adds \d+ messages?/ }).waitFor()
    await page.getByText('Kept: pinned by you').waitFor()
    await page.getByText('pins and hides of now').waitFor()
    await page.getByText('await thread.pin(21)').waitFor()
    await expectNoAxeViolationsInThemes(page, 'hands')
    await page.getByRole('button', { name: 'Ask again like B' }).click()
    const answers = page.getByRole('dialog', { name: 'The old answer and the new one' })
    await answers
      .getByRole('region', { name: 'The old answer' })
      .getByText('In about four days')
      .waitFor()
    await answers.getByRole('link', { name: 'Open the new branch' }).waitFor()
    expect(
      await answers.getByRole('region', { name: 'The new answer' }).locator('p').innerText(),
    ).not.toBe('')
    await expectNoAxeViolations(page)
    await page.keyboard.press('Escape')
    await hands.getByRole('button', { name: 'Unpin' }).click()
    await page.getByRole('heading', { name: 'A and B send the same' }).waitFor()
    await hands.getByRole('button', { name: 'Hide' }).click()
    await hands.getByRole('button', { name: 'Show again' }).click()
    await hands.getByRole('button', { name: 'Hide' }).waitFor()
    expect(faults).toEqual([])
  })

  it('shows what a pin changes also from an address without a turn, and stays in the last turn afterwards', async () => {
    const { page, faults } = await openPage(served, `${address}?entry=11`)
    const hands = page.getByRole('group', { name: 'What to do with #11' })
    await hands.getByRole('button', { name: 'Pin' }).click()
    await page.getByRole('heading', { name: /^B (adds|drops) \d+ messages?/ }).waitFor()
    await page.getByText('Kept: pinned by you').waitFor()
    await page.getByRole('button', { name: 'End comparison' }).click()
    await page.getByText('Turn 168', { exact: true }).waitFor()
    await page.goto(`${served.url}${address}`)
    await page.getByText('Turn 168', { exact: true }).waitFor()
    const { status } = await served.ask('DELETE', `/conversations/${sample}/entries/11/pin`)
    expect({ status, faults }).toEqual({ status: 200, faults: [] })
  })

  it('says that a system message cannot be pinned', async () => {
    const { page, faults } = await openPage(served, `${address}?turn=163&entry=1`, {
      viewport: narrow,
    })
    const pin = page.getByRole('button', { name: 'Pin' })
    await pin.waitFor()
    expect(await pin.getAttribute('aria-disabled')).toBe('true')
    expect(faults).toEqual([])
  })

  it('erases a message after it was asked', async () => {
    const { page, faults } = await openPage(served, `${address}?turn=163&entry=23`)
    await page.getByRole('button', { name: 'Erase …' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Erase the text of #23?' })
    await dialog.getByText('This cannot be undone.').waitFor()
    await dialog.getByRole('button', { name: 'Erase' }).click()
    await dialog.waitFor({ state: 'detached' })
    const answer = await served.ask('GET', `/conversations/${sample}/log?at=23&limit=1`)
    expect(await answer.json()).toMatchObject({ entries: [{ seq: 23, isErased: true }] })
    await page.getByRole('button', { name: 'Erase …', disabled: true }).waitFor()
    expect(faults).toEqual([])
  })
})

describe('where an answer comes from', () => {
  it('lights up the messages that have the words of a sentence, and says where none has', async () => {
    const { page, faults } = await openPage(served, `${address}?turn=163`)
    const answer = page.getByRole('region', { name: 'Its answer' })
    await answer.getByRole('button', { name: /^In about four days/ }).click()
    await page.waitForURL('**said=In+about+four+days**')
    await answer.getByRole('status').waitFor()
    expect(await answer.getByRole('status').innerText()).toMatch(
      /^(By its words, from #\d+|Nothing in)/,
    )
    await expectNoAxeViolationsInThemes(page, 'answer')
    await page.goto(`${served.url}${address}?turn=163&said=Quantum+chromodynamics+explains+hadrons`)
    await answer.getByText('Nothing in the window says this.').waitFor()
    await page.goto(
      `${served.url}${address}?turn=163&said=Turn+the+lamp+off+before+somebody+moors+a+boat`,
    )
    await answer.getByText('By its words, from #501').waitFor()
    await expect.poll(() => page.locator('[data-source="true"]').count()).toBeGreaterThan(1)
    expect(faults).toEqual([])
  })

  it('answers whether the model saw a fact, and what would have shown it', async () => {
    const { page, faults } = await openPage(served, `${address}?turn=163`)
    await page
      .getByRole('searchbox', { name: 'Did it see this?' })
      .fill('grid reference Priya county')
    await page.getByText(/^No: #21 has .* It was last sent in turn \d+\./).waitFor()
    await page.getByRole('searchbox', { name: 'Did it see this?' }).fill('code of the gate')
    await page.getByText(/^No: #329 has .* It would have been sent with 32k\./).waitFor()
    await page
      .getByRole('button', { name: /^Compare with [^…]/ })
      .first()
      .click()
    await page.waitForURL('**entry=329**')
    await page.getByText('Kept').or(page.getByText('Brought back')).first().waitFor()
    expect(faults).toEqual([])
  })
})
