import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { documentStore } from '@throughline/stores/memory'
import { sqliteStore } from '@throughline/stores/sqlite'
import type { Store } from '@throughline/stores/store'
import { everyStore } from '@throughline/test-tools/every-store'
import { runCli } from '@throughline/test-tools/run-cli'
import { afterAll, describe, expect, it } from 'vitest'
import { createHistory } from '../src/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'throughline-tenants-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Two tenants with a conversation, one whose only conversation was deleted, one of the server's own. */
async function fill(store: Store): Promise<Store> {
  for (const tenant of ['zoë', 'ada', 'gone', '~keys'])
    await createHistory({ store, tenant }).thread('talk').seed({ role: 'user', content: 'Hello.' })
  await createHistory({ store, tenant: 'gone' }).delete('talk')
  return store
}

function textStore(): Store {
  const texts = new Map<string, string>()
  return documentStore({
    load: async name =>
      texts.has(name) ? { text: texts.get(name)!, version: texts.get(name)! } : undefined,
    save: async (name, text, expected) => texts.get(name) === expected && !!texts.set(name, text),
    list: async prefix => [...texts.keys()].filter(name => name.startsWith(prefix)),
  })
}

it.each([...(await everyStore()), ['documents', textStore] as const])(
  'lists the tenants that have a conversation, on %s',
  async (_, create) => {
    expect(await create().tenants()).toEqual([])
    expect(await (await fill(create())).tenants()).toEqual(['ada', 'zoë', '~keys'])
  },
)

describe('throughline log', () => {
  async function run(...args: readonly string[]) {
    const path = join(folder, `${args.join('-')}.db`)
    await (await fill(sqliteStore({ path }))).close()
    return { ...(await runCli(['log', ...args, '--db', path])), path }
  }

  it('lists tenants, and names them where the one that was asked for has nothing', async () => {
    expect(await run('tenants')).toMatchObject({ status: 0, stdout: 'ada\nzoë\n' })
    expect(await run('list')).toMatchObject({
      ...{ status: 0, stdout: '' },
      stderr:
        'tenant "default" has no conversation; others have: ada, zoë (--tenant <name>, or --all-tenants)\n',
    })
    expect((await run('list', '--all-tenants')).stdout).toMatch(
      /^ada\/talk {2}.*\nzoë\/talk {2}.*\n$/,
    )
  })

  it('keeps every tenant in order where that is asked for', async () => {
    const path = join(folder, 'old.db')
    const store = sqliteStore({ path, now: () => Date.parse('2024-03-01') })
    await (await fill(store)).close()
    const retain = (...args: readonly string[]) =>
      runCli(['log', 'retain', '--conversations', '90', '--yes', '--db', path, ...args])
    expect((await retain()).stdout).toBe('deleted 0 conversations and 0 calls\n')
    expect((await retain('--all-tenants')).stdout).toBe(
      'deleted ada/talk\ndeleted zoë/talk\ndeleted 2 conversations and 0 calls\n',
    )
  })
})
