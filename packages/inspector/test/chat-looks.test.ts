import { toLines } from '@throughline/test-tools/sample-lines'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { composer, row } from './chat-page.ts'
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
  wide,
} from './open-inspector.ts'

let served: ServedInspector
beforeAll(async () => {
  served = await serveInspector()
})
afterAll(() => served.stop())

const evil = '<img src=x onerror="globalThis.hit=1"><script>globalThis.hit=2</script>'

describe('what others wrote', () => {
  it('is inert: in messages, thoughts, calls, results, names of branches and titles', async () => {
    const messages = [
      { role: 'user', content: `${evil} [a](javascript:alert(1)) \`${evil}\`` },
      {
        ...{
          role: 'assistant',
          content: `**${evil}**\n\n\`\`\`${evil}\n${evil}\n\`\`\``,
          thinking: evil,
        },
        tool_calls: [{ id: '1', function: { name: evil, arguments: { html: evil } } }],
      },
      { role: 'tool', tool_call_id: '1', content: evil },
      { role: 'assistant', content: `Done ${evil}` },
    ]
    await served.ask('POST', '/import', toLines(messages, { conversation: 'evil', title: evil }))
    await served.ask('POST', '/conversations/evil/fork', { at: 0, as: evil })
    const { page, faults } = await openPage(served, '/inspector/c/evil/chat')
    await row(page, /Reply, message 4/).waitFor()
    await page.getByRole('button', { name: /^Tool call/ }).click()
    await page.getByRole('button', { name: 'Thought' }).click()
    await page.getByText('Arguments').waitFor()
    expect(
      await page.evaluate(() => document.querySelectorAll('main img, main script').length),
    ).toBe(0)
    expect(
      await page.evaluate(() => document.querySelectorAll('a[href^="javascript"]').length),
    ).toBe(0)
    expect(await page.evaluate(() => (globalThis as { hit?: number }).hit)).toBeUndefined()
    expect(faults).toEqual([])
  })

  it('stands in other scripts, long words and wide code without breaking the page', async () => {
    const messages = [
      { role: 'user', content: 'مرحبا، هل البوابة مفتوحة؟ `npm run build`' },
      { role: 'assistant', content: '両生類の移動調査は、夜間に行われます。'.repeat(20) },
      { role: 'user', content: 'x'.repeat(3000) },
      { role: 'assistant', content: `\`\`\`ts\nconst a = '${'y'.repeat(2000)}'\n\`\`\`` },
    ]
    await served.ask(
      'POST',
      '/import',
      toLines(messages, { conversation: '谷戸', title: '谷戸の夜'.repeat(40) }),
    )
    for (const viewport of isLong ? [narrow, wide] : [narrow]) {
      const { page, faults } = await openPage(
        served,
        `/inspector/c/${encodeURIComponent('谷戸')}/chat`,
        {
          viewport,
        },
      )
      await row(page, /Reply, message 4/).waitFor()
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width)
      const region = page.getByRole('region', { name: 'Messages' })
      expect(await region.evaluate(one => one.scrollWidth - one.clientWidth)).toBe(0)
      await expectNoAxeInLong(page)
      await shoot(page, `chat-scripts-${viewport.width}`)
      expect(faults).toEqual([])
    }
  })
})

describe('the look of a chat', () => {
  it.each(isLong ? [wide, narrow] : [wide])(
    'axe finds nothing in both themes at %o',
    async viewport => {
      const { page, faults } = await openPage(served, `/inspector/c/${sample}/chat?entry=518`, {
        viewport,
      })
      await page
        .getByRole('button', { name: /Brought back/ })
        .first()
        .waitFor()
      await page
        .getByRole('button', { name: /Brought back/ })
        .first()
        .click()
      await page.getByRole('button', { name: /^and \d+ more$/ }).waitFor()
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(viewport.width)
      await expectNoAxeViolationsInThemes(page, `chat-${viewport.width}`)
      expect(faults).toEqual([])
    },
  )

  it('unfolds what was brought back, and leads to it in Context', async () => {
    const { page, faults } = await openPage(served, `/inspector/c/${sample}/chat?entry=522`)
    await page.getByRole('button', { name: /Brought back 10 messages from .* March/ }).click()
    await page
      .getByRole('link', { name: /^\d+ Mar(?: \d{4})? #\d/ })
      .first()
      .click()
    await page.waitForURL(/\/context\?.*entry=\d+/)
    expect(faults).toEqual([])
  })
})

describe('a key that may only read', () => {
  it('shows the conversation without a composer', async () => {
    const { key } = (await (
      await served.ask('POST', '/keys', { name: 'reader', scopes: ['read'] })
    ).json()) as { key: string }
    const { page } = await openPage(served, '/inspector')
    await page.evaluate(key => sessionStorage.setItem('throughline.key', key), key)
    await page.goto(`${served.url}/inspector/c/${sample}/chat`)
    await page.getByText('it lacks the scope chat').waitFor()
    expect(await composer(page).count()).toBe(0)
    await row(page, /You, message 523/).waitFor()
    await expectNoAxeInLong(page)
  })
})
