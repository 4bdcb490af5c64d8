import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isLong } from '@throughline/test-tools/is-long'
import { afterAll, describe, expect, it } from 'vitest'
import { storeCases } from '../testing/store-cases.ts'
import { sqliteStore } from './sqlite-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'throughline-sqlite-'))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
const newPath = () => join(folder, `${++files}.db`)

describe('sqliteStore', () => {
  for (const { name, run } of storeCases)
    it(name, async () => {
      const path = newPath()
      expect(await run(async () => sqliteStore({ path }))).toBeUndefined()
    })
})

if (!isLong)
  console.info(
    'Skipped: cases without words on a store without an index of them, only in the long run',
  )

describe('sqliteStore without a word index', () => {
  for (const { name, run } of storeCases.filter(
    ({ name }) => isLong || /search|find|word|delete/.test(name),
  ))
    it(name, async () => {
      const path = newPath()
      expect(await run(async () => sqliteStore({ path, search: false }))).toBeUndefined()
    })
})
