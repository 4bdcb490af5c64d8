import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteStore } from '@throughline/stores/sqlite'
import type { Store } from '@throughline/stores/store'
import { runCli } from '@throughline/test-tools/run-cli'
import { standInEmbedder } from '@throughline/test-tools/stand-in-embedder'
import { startServer } from '@throughline/test-tools/start-server'
import { afterAll, describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'throughline-forget-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A word that only what is to be forgotten has. */
const secret = 'zanzibarine'

/** A running server with three conversations: two of Ada with the secret, one of Bob without. */
async function start(name: string, spoil: (store: Store) => Store = store => store) {
  const path = join(folder, `${name}.db`)
  const store = spoil(sqliteStore({ path }))
  const { url } = await startServer({ store, embed: standInEmbedder() })
  const ask = (method: string, path: string, body?: unknown, headers = {}) =>
    fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  const say = async (conversation: string, person: string, input: string) => {
    const headers = { 'x-throughline-conversation': conversation, 'x-throughline-person': person }
    const response = await ask('POST', '/v1/responses', { model: 'reader', input }, headers)
    expect(response.status).toBe(200)
    return ((await response.json()) as { id: string }).id
  }
  const response = await say('first', 'ada', `My island is called ${secret}.`)
  await say('first', 'ada', 'What is my island called?')
  await say('second', 'ada', `Sail to ${secret} tomorrow.`)
  await say('other', 'bob', 'My boat is called Heron.')
  const api = '/throughline/v1'
  // What the pages of the inspector ask for fills the caches of the server.
  for (const page of ['entries', 'timeline', 'export'])
    await ask('GET', `${api}/conversations/first/${page}`).then(found => found.text())

  /** Where the secret can still be found. */
  async function traces(conversations: readonly string[]): Promise<readonly string[]> {
    const places = [
      `/search?q=${secret}&scope=everything`,
      ...['other', ...conversations].flatMap(one =>
        ['', '/entries', '/context', '/timeline', '/export', '/calls', '/dump'].map(
          page => `/conversations/${one}${page}`,
        ),
      ),
    ].map(place => `${api}${place}`)
    const found: string[] = []
    for (const place of [...places, `/v1/responses/${response}`]) {
      const text = await ask('GET', place).then(answer => answer.text())
      // A search repeats no word of the query.
      if (text.includes(secret)) found.push(place)
    }
    for (const file of [path, `${path}-wal`])
      if (existsSync(file) && readFileSync(file).includes(secret))
        found.push(file.slice(path.length) || 'file')
    return found
  }
  return { url, path, traces }
}

describe('throughline forget', () => {
  it('leaves no trace of a conversation, then of a person, on a server that runs', async () => {
    const { url, traces } = await start('running')
    expect(await traces(['first', 'second'])).toEqual(
      expect.arrayContaining([
        expect.stringContaining('/search'),
        expect.stringContaining('/v1/responses'),
      ]),
    )
    const forget = (...args: readonly string[]) =>
      runCli(['forget', ...args, '--yes', '--server', url])
    expect(await forget('first')).toMatchObject({
      status: 0,
      stdout: 'forgot first\nforgot 1 conversation\n',
    })
    expect((await traces(['first'])).filter(place => place.includes('first'))).toEqual([])
    expect((await forget('first')).stderr).toContain('there is no conversation "first"')
    expect((await forget('--person', 'ada')).stdout).toBe('forgot second\nforgot 1 conversation\n')
    expect(await traces(['first', 'second'])).toEqual([])
    expect((await forget('--all')).stdout).toBe('forgot other\nforgot 1 conversation\n')
  })

  it('says what would go and deletes nothing, unless the answer is yes', async () => {
    const { url, traces } = await start('unsure')
    const before = await traces(['first', 'second'])
    const forget = (...args: readonly string[]) => runCli(['forget', ...args, '--server', url])
    for (const what of [['first'], ['--person', 'ada'], ['--actor', 'assistant'], ['--all']]) {
      const { status, stdout, stderr } = await forget(...what)
      expect([status, stderr]).toEqual([
        2,
        expect.stringContaining('nothing was deleted: say --yes'),
      ])
      expect(stdout).toContain('would delete first\n')
      expect(await forget(...what, '--dry-run')).toEqual({ status: 0, stdout, stderr: '' })
      // Who says both gets the careful one.
      expect(await forget(...what, '--dry-run', '--yes')).toEqual({ status: 0, stdout, stderr: '' })
    }
    for (const empty of [[''], ['--person', ''], ['--actor', '']])
      expect((await forget(...empty, '--yes')).stderr).toContain('say what to forget')
    expect(await traces(['first', 'second'])).toEqual(before)
  })

  it('is asked of the server that has the file open', async () => {
    const { path } = await start('held')
    const { status, stderr } = await runCli(['forget', 'first', '--db', path])
    expect([status, stderr]).toEqual([2, expect.stringContaining('ask it with --server <url>')])
    expect((await runCli(['forget', '--db', path])).stderr).toContain('say what to forget')
  })

  it('is not taken for done where a store keeps what it should delete', async () => {
    const { url, traces } = await start('spoiled', store => ({
      ...store,
      deleteConversation: async () => true,
    }))
    const { stdout } = await runCli(['forget', 'first', '--yes', '--server', url])
    expect(stdout).toBe('forgot first\nforgot 1 conversation\n')
    expect((await traces(['first'])).length).toBeGreaterThan(3)
  })
})
