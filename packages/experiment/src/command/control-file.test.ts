import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createControlFile, leaveWishInFile } from './open-experiments.ts'

const folder = mkdtempSync(join(tmpdir(), 'throughline-control-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
function newDb(): string {
  const db = join(folder, `${++files}.db`)
  writeFileSync(db, '')
  return db
}

it('brings a wish to whoever runs the experiment, by whatever name the file is called', () => {
  const db = newDb()
  const control = createControlFile(db, 'it')
  expect(control.wishOf('it')).toBeUndefined()
  symlinkSync(db, `${db}.link`)
  expect(leaveWishInFile(`${db}.link`, 'it', 'pause')).toEqual({ pid: process.pid, id: 'it' })
  expect(control.wishOf('it')).toBe('pause')
  expect(control.wishOf('other')).toBeUndefined()
  leaveWishInFile(db, 'it', 'stop')
  expect(control.wishOf('it')).toBe('stop')
  control.close()
  expect(existsSync(`${db}-control`)).toBe(false)
})

it('leaves none for another experiment, nor where nobody runs one', () => {
  const db = newDb()
  expect(leaveWishInFile(db, 'it', 'pause')).toBeUndefined()
  expect(existsSync(`${db}-control`)).toBe(false)
  const control = createControlFile(db, 'it')
  expect(leaveWishInFile(db, 'other', 'pause')?.id).toBe('it')
  expect(control.wishOf('other')).toBeUndefined()
  control.close()
})

it('does not believe a file whose process is gone, and begins without its wishes', () => {
  const db = newDb()
  const { pid } = spawnSync(process.execPath, ['-e', ''])
  const left = `${JSON.stringify({ pid, id: 'it' })}\n${JSON.stringify({ id: 'it', wish: 'stop' })}\n`
  writeFileSync(`${db}-control`, left)
  expect(leaveWishInFile(db, 'it', 'pause')).toBeUndefined()
  const control = createControlFile(db, 'it')
  expect(control.wishOf('it')).toBeUndefined()
  control.close()
})
