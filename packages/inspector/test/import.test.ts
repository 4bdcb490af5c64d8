import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chatgptFile, files } from '@throughline/history/fixtures'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  expectNoAxeViolationsInThemes,
  isLong,
  openPage,
  type ServedInspector,
  serveInspector,
  shoot,
} from './open-inspector.ts'

const folder = mkdtempSync(join(tmpdir(), 'throughline-drop-'))
let served: ServedInspector
beforeAll(async () => {
  served = await serveInspector({ isEmpty: true })
})
afterAll(async () => {
  await served.stop()
  rmSync(folder, { recursive: true, force: true })
})

const fileOf = (name: string, text: string) => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/** Drops files on the page, as a person does who drags them from a folder. */
async function drop(page: Page, given: Readonly<Record<string, string>>) {
  const data = await page.evaluateHandle(entries => {
    const transfer = new DataTransfer()
    for (const [name, text] of entries) transfer.items.add(new File([text], name))
    return transfer
  }, Object.entries(given))
  const area = page.getByRole('region', { name: 'Conversations' })
  await area.dispatchEvent('dragover', { dataTransfer: data })
  await page.getByText('Drop to bring these chats in').waitFor()
  await shoot(page, 'import-over')
  await area.dispatchEvent('drop', { dataTransfer: data })
}

describe('files of chats', () => {
  it('come in by a button, also where there is nothing yet', async () => {
    const { page, faults } = await openPage(served, '/inspector')
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: /^Bring your chats/ }).click()
    await (await chooser).setFiles(fileOf('rollout.jsonl', files.Codex!))
    await page.getByText('1 conversation from Codex, 9 new messages.').waitFor()
    await page.getByRole('link', { name: 'Which files are here?' }).waitFor()
    await page.getByRole('link', { name: 'Open it' }).click()
    await page.getByText('Only lamp.ts.').first().waitFor()
    expect(faults).toEqual([])
  })

  it('come in when they are dropped on the list: what came, and what was refused and where', async () => {
    const { page, faults } = await openPage(served, '/inspector')
    await page.getByRole('heading', { level: 1, name: /conversation/ }).waitFor()
    const broken = chatgptFile.replace('"role":"assistant"', '"role":7')
    await drop(page, {
      'conversations.json': chatgptFile,
      'broken.json': broken,
      'chat.jsonl': files.SillyTavern!,
    })
    await page.getByText('2 conversations from ChatGPT, 13 new messages.').waitFor()
    await page.getByText('1 conversation from SillyTavern, 7 new messages.').waitFor()
    await page
      .getByRole('alert')
      .getByText('Line 1, $[0].mapping["a1"].message.author.role of the import: it must be a text')
      .waitFor()
    await page.getByRole('link', { name: 'The boat' }).waitFor()
    if (isLong) await expectNoAxeViolationsInThemes(page, 'import')
    await page.getByRole('button', { name: 'Close' }).click()
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
    expect(faults).toEqual([])
  })

  it('belong to a person who is named, so that other conversations can quote them', async () => {
    const remembering = await serveInspector({ isEmpty: true, remember: 'person' })
    try {
      const { page, faults } = await openPage(remembering, '/inspector')
      const chooser = page.waitForEvent('filechooser')
      await page.getByRole('button', { name: /^Bring your chats/ }).click()
      await (await chooser).setFiles(fileOf('chatgpt.json', chatgptFile))
      await page.getByText('2 conversations from ChatGPT, 13 new messages.').waitFor()
      await page.getByLabel(/^Whose chats are these/).fill('ada')
      await expectNoAxeViolationsInThemes(page, 'import-whose')
      await page.getByRole('button', { name: 'Remember' }).click()
      await page.getByText('all of it was here already. Remembered for ada.').waitFor()
      const found = await remembering.store.conversations('default', { person: 'ada' })
      expect(found.length).toBe(2)
      expect(faults).toEqual([])
    } finally {
      await remembering.stop()
    }
  })

  it('are chosen by a key, and say when all of it was here already', async () => {
    const { page, faults } = await openPage(served, '/inspector')
    // Early: until the browser has been told, it shows the dialog itself.
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('heading', { level: 1, name: '4 conversations' }).waitFor()
    // The key is there as soon as the button is: both wait for what the server allows.
    await page.getByRole('button', { name: 'Import' }).waitFor()
    await page.keyboard.press('i')
    await (await chooser).setFiles(fileOf('again.json', chatgptFile))
    await page.getByText('2 conversations from ChatGPT: all of it was here already.').waitFor()
    expect(faults).toEqual([])
  })
})
