import { toLines } from '@throughline/test-tools/sample-lines'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { composer, row } from './chat-page.ts'
import {
  expectNoAxeInLong,
  isLong,
  openPage,
  type ServedInspector,
  serveInspector,
  shoot,
} from './open-inspector.ts'
import { type PacedModel, startPacedModel } from './paced-model.ts'

const secret = 'zebra-seven'

let model: PacedModel
let served: ServedInspector
beforeAll(async () => {
  model = await startPacedModel()
  served = await serveInspector({ upstream: model.upstream, notes: true, retries: 0 })
})
afterAll(async () => {
  await served.stop()
  await model.close()
})

/** A conversation of one turn, made over the API. */
async function begin(conversation: string, input = 'Is the gate open?', answer = 'It is open.') {
  const sent = served.ask('POST', `/conversations/${conversation}/send`, { input })
  const reply = await model.next()
  reply.say(answer)
  reply.end()
  await (await sent).text()
}

async function send(page: Page, text: string) {
  await composer(page).fill(text)
  await composer(page).press('Enter')
}

/** Sees whatever comes into the page, for however short a time: its words, its attributes, what its requests bring. */
async function watchFor(page: Page, word: string) {
  const answers: string[] = []
  page.on('response', async response => {
    const text = await response.text().catch(() => '')
    if (text.includes(word)) answers.push(response.url())
  })
  await page.evaluate(word => {
    const found: string[] = []
    Object.assign(globalThis, { found })
    const look = () => {
      const html = document.documentElement.outerHTML
      const typed = [...document.querySelectorAll('textarea, input')].map(
        one => (one as HTMLInputElement).value,
      )
      if ([html, ...typed].some(text => text.includes(word))) found.push(word)
    }
    look()
    new MutationObserver(look).observe(document, {
      ...{ subtree: true, childList: true, characterData: true, attributes: true },
    })
  }, word)
  return {
    inPage: () => page.evaluate(() => (globalThis as unknown as { found: string[] }).found),
    inAnswers: () => answers,
  }
}

describe('a chat', () => {
  it('shows a reply as it comes, and never a note: not in the page, nor in any answer', async () => {
    await begin('hidden', 'Hello.', `Hello. [NOTE TO SELF: the code is ${secret}]`)
    const { page, faults } = await openPage(served, '/inspector/c/hidden/chat')
    const watch = await watchFor(page, secret)
    await row(page, /Reply, message 2/).waitFor()
    await send(page, 'Is the gate open?')
    const reply = await model.next()
    // The model has its own note of the turn before.
    expect(reply.sent.join('\n')).toContain(secret)
    await page.getByText('Asking paced').waitFor()
    for (const [piece, seen] of [
      ['The gate', 'The gate'],
      [' is open.', 'The gate is open.'],
    ] as const) {
      reply.say(piece)
      await row(page, 'Reply, being written').getByText(seen, { exact: true }).waitFor()
    }
    for (const piece of [' [NOTE', ' TO SELF: tell', ` nobody of ${secret}`, ']']) reply.say(piece)
    reply.end()
    await row(page, /Reply, message [45]/)
      .getByText('The gate is open.')
      .waitFor()
    await page.getByText('700 tokens read').last().waitFor()
    await page.getByText(/next call about/).waitFor()
    expect(await watch.inPage()).toEqual([])
    expect(watch.inAnswers()).toEqual([])
    const notes = await (await served.ask('GET', '/conversations/hidden/notes')).text()
    expect(notes).toContain(`nobody of ${secret}`)
    expect(faults).toEqual([])
  })

  it('would be seen with a note that stands in a message', async () => {
    await begin('shown')
    const { page } = await openPage(served, '/inspector/c/shown/chat')
    const watch = await watchFor(page, secret)
    await send(page, 'Say it.')
    const reply = await model.next()
    reply.say(`It is ${secret}`)
    await row(page, 'Reply, being written').getByText(secret).waitFor()
    expect((await watch.inPage()).length).toBeGreaterThan(0)
    reply.end()
    await row(page, /Reply, message 4/).waitFor()
    expect(watch.inAnswers().length).toBeGreaterThan(0)
  })

  it('stops a reply by its button and by Esc, keeps what came, says so, and tries again on a branch', async () => {
    await begin('stopped')
    const { page, faults } = await openPage(served, '/inspector/c/stopped/chat')
    await send(page, 'Count to a thousand.')
    const first = await model.next()
    first.say('One, two')
    await page.getByText('One, two').waitFor()
    await page.getByRole('button', { name: 'Stop the reply' }).click()
    await first.closed
    await page.getByText('Cancelled: the reply was stopped before its end.').waitFor()
    await row(page, /Reply, message 4/)
      .getByText('One, two')
      .waitFor()
    await page.getByRole('button', { name: 'Send' }).waitFor()

    await page.getByRole('button', { name: 'Try again' }).click()
    const second = await model.next()
    expect(second.sent.at(-1)).toBe('Count to a thousand.')
    second.say('One, two, three')
    await page.getByText('One, two, three').waitFor()
    // Esc that closes a menu is not meant for the reply.
    await page.getByRole('button', { name: /^Branch / }).click()
    await page.getByRole('menu').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    second.say(', four')
    await page.getByText('One, two, three, four').waitFor()
    await composer(page).press('Escape')
    await second.closed
    await page.getByText('Cancelled').waitFor()
    await row(page, /Reply, message 4/)
      .getByText('One, two, three')
      .waitFor()
    await page.getByRole('group', { name: 'Version 2 of 2' }).waitFor()
    await expectNoAxeInLong(page)
    expect(faults).toEqual([])
  })

  it('makes a branch of an edit; both stay, and are gone through by buttons and keys', async () => {
    await begin('edited', 'What is two and two?', 'Four.')
    const { page, faults } = await openPage(served, '/inspector/c/edited/chat')
    await row(page, /You, message 1/).hover()
    await page.getByRole('button', { name: 'Edit (new branch)' }).click()
    const box = page.getByRole('textbox', { name: 'Edit the message' })
    await expect.poll(() => box.inputValue()).toBe('What is two and two?')
    await box.fill('What is two and three?')
    await box.press('Enter')
    const reply = await model.next()
    expect(reply.sent.at(-1)).toBe('What is two and three?')
    await page.getByText('What is two and three?').first().waitFor()
    expect(await page.getByText('What is two and two?').count()).toBe(0)
    reply.say('Five.')
    reply.end()
    await page.getByRole('group', { name: 'Version 2 of 2' }).waitFor()
    await row(page, /Reply, message 2/)
      .getByText('Five.')
      .waitFor()
    expect(new URL(page.url()).searchParams.get('branch')).toMatch(/^edit /)

    await page.getByRole('button', { name: 'Version before' }).click()
    await row(page, /Reply, message 2/)
      .getByText('Four.')
      .waitFor()
    await page.getByRole('button', { name: 'Version after' }).click()
    await row(page, /Reply, message 2/)
      .getByText('Five.')
      .waitFor()
    await page.locator('body').press('[')
    await row(page, /Reply, message 2/)
      .getByText('Four.')
      .waitFor()
    await page.locator('body').press(']')
    await row(page, /Reply, message 2/)
      .getByText('Five.')
      .waitFor()

    const branches = page.getByRole('complementary', { name: 'Branches' })
    await branches.getByRole('link', { name: /reworded at #1.*What is two and three/ }).focus()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await row(page, /Reply, message 2/)
      .getByText('Four.')
      .waitFor()
    await page.goBack()
    await row(page, /Reply, message 2/)
      .getByText('Five.')
      .waitFor()
    const { threads } = (await (
      await served.ask('GET', '/conversations/edited/threads')
    ).json()) as {
      threads: { head: number }[]
    }
    expect(threads.map(({ head }) => head)).toEqual([2, 2])
    expect(faults).toEqual([])
  })

  it.runIf(isLong)(
    'answers again on a branch, and begins branches where they are wanted',
    async () => {
      await begin('again', 'A name for a boat?', 'Seagull.')
      const { page, faults } = await openPage(served, '/inspector/c/again/chat')
      await page.getByRole('button', { name: 'Regenerate (new branch)' }).click()
      const reply = await model.next()
      reply.say('Heron.')
      reply.end()
      await row(page, /Reply, message 2/)
        .getByText('Heron.')
        .waitFor()
      await page.getByRole('group', { name: 'Version 2 of 2' }).waitFor()
      expect(await page.getByText('A name for a boat?').count()).toBeGreaterThan(0)

      await page.getByRole('button', { name: 'New branch from here' }).click()
      await page.getByText('by you, after #2').waitFor()
      await send(page, 'And for a dog?')
      const other = await model.next()
      expect(other.sent).toContain('Heron.')
      other.say('Rover.')
      other.end()
      await row(page, /Reply, message 4/)
        .getByText('Rover.')
        .waitFor()
      await page.getByRole('link', { name: /goes on after #2.*And for a dog/ }).waitFor()
      expect(faults).toEqual([])
    },
  )

  it('begins a new conversation with its first message', async () => {
    const { page, faults } = await openPage(served, '/inspector/c/brand%20new/chat')
    await page.getByRole('heading', { name: 'There is no conversation “brand new” yet' }).waitFor()
    await send(page, 'Good morning.')
    const reply = await model.next()
    reply.say('Good morning!')
    reply.end()
    await row(page, /Reply, message 2/)
      .getByText('Good morning!')
      .waitFor()
    expect(faults).toEqual([])
  })

  it('sends with Enter, not while a word is composed, begins lines with Shift and Enter, and refuses nothing', async () => {
    await begin('typed')
    const { page, faults } = await openPage(served, '/inspector/c/typed/chat')
    await row(page, /Reply, message 2/).waitFor()
    await composer(page).fill('   ')
    await composer(page).press('Enter')
    await expect.poll(() => page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
    await composer(page).fill('かな')
    await composer(page).dispatchEvent('keydown', {
      key: 'Enter',
      isComposing: true,
      bubbles: true,
    })
    await composer(page).dispatchEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true })
    await composer(page).press('Shift+Enter')
    await page.keyboard.type('two')
    await expect.poll(() => composer(page).inputValue()).toBe('かな\ntwo')

    // Another view, and back: the draft is there.
    await page.getByRole('link', { name: 'Over time', exact: true }).click()
    await page.waitForURL('**/over-time')
    await page.getByRole('link', { name: 'Chat', exact: true }).click()
    await expect.poll(() => composer(page).inputValue()).toBe('かな\ntwo')
    await composer(page).press('Enter')
    const reply = await model.next()
    expect(reply.sent.at(-1)).toBe('かな\ntwo')
    // A reply goes on while another view is open.
    reply.say('Half')
    await page.getByText('Half').waitFor()
    await page.getByRole('link', { name: 'Over time', exact: true }).click()
    await page.waitForURL('**/over-time')
    reply.say(' and whole.')
    reply.end()
    await page.getByRole('link', { name: 'Chat', exact: true }).click()
    await page.getByText('Half and whole.').waitFor()
    expect(await page.getByText('Cancelled').count()).toBe(0)
    expect(faults).toEqual([])
  })

  it('says what is wrong with its code and what to do, and gives the text back', async () => {
    await begin('refused')
    const other = served.ask('POST', '/conversations/refused/send', { input: 'From elsewhere.' })
    const elsewhere = await model.next()
    const { page, faults } = await openPage(served, '/inspector/c/refused/chat')
    await page.getByText('Being answered for another client').waitFor()
    await send(page, 'Me too!')
    await page.getByText('turn_open').waitFor()
    await page.getByText('Another reply is being written here.').waitFor()
    await expect.poll(() => composer(page).inputValue()).toBe('Me too!')
    await expectNoAxeInLong(page)
    elsewhere.say('For the other.')
    elsewhere.end()
    await (await other).text()
    await page.getByText('For the other.').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()

    await composer(page).press('Enter')
    const cut = await model.next()
    cut.say('It begins')
    await page.getByText('It begins').waitFor()
    cut.cut()
    await page.getByText('Interrupted: the reply broke off before its end.').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    const reply = await model.next()
    reply.say('All is well.')
    reply.end()
    await row(page, /Reply, message \d/)
      .getByText('All is well.')
      .waitFor()
    expect(faults).toEqual([])
  })

  it('follows what is written at the end; elsewhere it stays and offers the way there', async () => {
    const said = Array.from({ length: 60 }, (_, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content: `Message ${at}.`,
    }))
    await served.ask(
      'POST',
      '/import',
      toLines(said, { conversation: 'followed', title: 'Followed' }),
    )
    const { page, faults } = await openPage(served, '/inspector/c/followed/chat')
    await page.getByText('Message 59.').waitFor()
    await send(page, 'Write a lot.')
    const reply = await model.next()
    for (let line = 0; line < 40; line++) reply.say(`Line ${line}.\n\n`)
    await page.getByText('Line 39.').waitFor()
    const messages = page.getByRole('region', { name: 'Messages' })
    const atEnd = () =>
      messages.evaluate(one => one.scrollHeight - one.scrollTop - one.clientHeight)
    await expect.poll(atEnd).toBeLessThan(8)
    await messages.hover()
    await page.mouse.wheel(0, -900)
    await page.getByRole('button', { name: 'New messages' }).waitFor()
    const top = await messages.evaluate(one => one.scrollTop)
    for (let line = 40; line < 60; line++) reply.say(`Line ${line}.\n\n`)
    await expect.poll(atEnd).toBeGreaterThan(900)
    expect(Math.abs((await messages.evaluate(one => one.scrollTop)) - top)).toBeLessThan(4)
    await page.getByRole('button', { name: 'New messages' }).click()
    await page.getByText('Line 59.').waitFor()
    await expect.poll(atEnd).toBeLessThan(8)
    reply.end()
    await row(page, /Reply, message 62/).waitFor()
    await expect.poll(atEnd).toBeLessThan(8)
    await shoot(page, 'chat-long-reply')
    expect(faults).toEqual([])
  })
})
