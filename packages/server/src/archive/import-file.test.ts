import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHistory } from '@throughline/history'
import { chatgptFile, claudeFile } from '@throughline/history/fixtures'
import { memoryStore } from '@throughline/stores/memory'
import { afterAll, describe, expect, it } from 'vitest'
import { openImportFile } from './import-file.ts'
import { zipOf } from './zip.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'throughline-zip-'))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
async function importOf(bytes: Uint8Array | string, most?: number) {
  const path = join(folder, `${files++}.zip`)
  writeFileSync(path, bytes)
  const history = createHistory({ store: memoryStore() })
  try {
    return await history.import(await openImportFile(path, most))
  } catch (error) {
    expect(await history.conversations()).toEqual([])
    throw error
  }
}

const [one, other] = JSON.parse(chatgptFile) as unknown[]
const archive = { 'chat.html': '<html>', 'conversations.json': chatgptFile, 'user.json': '{}' }

describe('a ZIP archive', () => {
  it.each([{}, { isStored: true }, { isWide: true }])(
    'of ChatGPT is read as it is, %j',
    async how => {
      expect(await importOf(zipOf(archive, how))).toEqual(await importOf(chatgptFile))
    },
  )

  it('may have its conversations in a folder, and in several files', async () => {
    const parts = zipOf({
      'export/conversations-001.json': JSON.stringify([other]),
      'export/conversations-000.json': JSON.stringify([one]),
      'export/file-dog.png': 'PNG',
    })
    const { conversations, entries } = await importOf(parts)
    const { conversations: all, entries: same } = await importOf(chatgptFile)
    expect([conversations, entries]).toEqual([all, same])
    expect((await importOf(zipOf({ 'conversations.json': claudeFile }))).format).toBe('Claude')
  })

  it('with letters that end in the next piece', async () => {
    const text = JSON.stringify([
      { id: 'x', messages: [{ role: 'user', content: `a${'é😀'.repeat(60_000)}` }] },
    ])
    const path = join(folder, 'letters.zip')
    writeFileSync(path, zipOf({ 'conversations.json': text }, { isStored: true }))
    const history = createHistory({ store: memoryStore() })
    await history.import(await openImportFile(path))
    const [message] = await history.thread('chat-x').messages()
    expect(message?.content).toBe(`a${'é😀'.repeat(60_000)}`)
  })

  it('without conversations names what it has', async () => {
    await expect(importOf(zipOf({ 'chat.html': '<html>' }))).rejects.toThrow(
      /no conversations\.json, but "chat\.html"/,
    )
    await expect(importOf(zipOf({}))).rejects.toThrow(/no JSON/)
  })

  it('is not unpacked beyond what may come', async () => {
    await expect(importOf(zipOf(archive), 100)).rejects.toThrow(/more than 100 bytes/)
    // A bomb says that it is small.
    const bomb = zipOf({ 'conversations.json': `[${' '.repeat(1_000_000)}]` })
    const at = bomb.lastIndexOf('PK\u0001\u0002') + 24
    bomb.writeUInt32LE(10, at)
    await expect(importOf(bomb, 100)).rejects.toThrow(/is not what it was/)
  })

  it('that is damaged anywhere is refused with a reason, or says the same', async () => {
    const bytes = zipOf({ 'conversations.json': chatgptFile })
    const whole = await importOf(bytes)
    let refused = 0
    for (let at = 0; at < bytes.length; at += Math.max(1, Math.floor(bytes.length / 200))) {
      const changed = Buffer.from(bytes)
      changed[at]! ^= 0x55
      const result = await importOf(changed).catch(error => error)
      if (result instanceof Error) {
        refused += 1
        expect(result).toMatchObject({ code: 'invalid_import' })
      } else expect(result).toEqual(whole)
    }
    expect(refused).toBeGreaterThan(100)
    for (const length of [4, 30, 100, bytes.length - 30, bytes.length - 1])
      await expect(importOf(bytes.subarray(0, length))).rejects.toMatchObject({
        code: 'invalid_import',
      })
  })
})
