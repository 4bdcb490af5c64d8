import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { MessageLike } from '@throughline/core/messages'
import { createHistory } from '@throughline/history'
import { postgresStore } from '@throughline/stores/postgres'
import { findProgram } from '@throughline/test-tools/find-program'
import { freePort } from '@throughline/test-tools/free-port'
import { isLong } from '@throughline/test-tools/is-long'
import { skipReason } from '@throughline/test-tools/needs'
import { describePostgres } from '@throughline/test-tools/postgres'
import { startAs } from '@throughline/test-tools/postgres-binaries'
import { newFolder, serve } from '@throughline/test-tools/serve-process'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'

const bouncer = findProgram('pgbouncer')
skipReason(
  'Two instances behind PgBouncer',
  bouncer ? undefined : 'it was not found: install the package pgbouncer',
)
if (!isLong && bouncer)
  console.info('Skipped: two instances without PgBouncer, only in the long run')

describePostgres('two instances of the server on one PostgreSQL', postgres => {
  const straight = ['straight', async () => postgres.url] as const
  const pooledWays = bouncer
    ? [['behind PgBouncer in transaction mode', () => pooled(bouncer, postgres.url)] as const]
    : []
  const ways = isLong || !bouncer ? [straight, ...pooledWays] : pooledWays

  it.each(ways)('share conversations, %s', async (way, addressOf) => {
    const url = await addressOf()
    const [one, other] = await Promise.all([1, 2].map(() => serve(newFolder(), '--db', url)))
    const instances = [one!, other!]
    expect(instances.map(({ url }) => url)).not.toContain('')
    const store = postgresStore({ url: postgres.url })
    onTestFinished(() => store.close())
    const history = createHistory({ store })

    // A conversation that goes on at the other instance each time: what was said is there at once.
    const list: MessageLike[] = []
    for (let turn = 1; turn <= 10; turn++) {
      list.push({
        role: 'user',
        content: turn === 1 ? `The boat is called Seagull, ${way}.` : `And ${turn}?`,
      })
      const { message } = await ask(instances[turn % 2]!.url, list)
      list.push(message)
    }
    list.push({ role: 'user', content: 'What is the boat called?' })
    const { message, conversation } = await ask(one!.url, list)
    expect(message.content).toContain('Seagull')
    const lines = await history.thread(conversation).messages()
    expect(lines.map(({ content }) => content)).toEqual(
      [...list, message].map(({ content }) => content),
    )

    // Both get the next message of one conversation at the same moment: one goes on, the other becomes a branch.
    list.push(message)
    const next = (word: string) => [...list, { role: 'user', content: word }]
    const both = await Promise.all([ask(one!.url, next('left')), ask(other!.url, next('right'))])
    expect(both.map(({ conversation: found }) => found)).toEqual([conversation, conversation])
    const [{ threads } = { threads: [] }] = await history.conversations({ only: conversation })
    const ends: unknown[] = []
    for (const { branch } of threads)
      ends.push((await history.thread(conversation, { branch }).messages()).at(-2)?.content)
    expect(ends.toSorted()).toEqual(['left', 'right'])

    // The same at moments that lie further and further apart: neither is written behind the other.
    for (let round = 0; round < (isLong ? 200 : 8); round++) {
      const talk: MessageLike[] = [{ role: 'user', content: `Boat ${round}, ${way}.` }]
      const begun = await ask(one!.url, talk)
      talk.push(begun.message)
      const say = async (url: string, word: string, ms: number) => {
        await wait(ms)
        await ask(url, [...talk, { role: 'user', content: word }])
      }
      await Promise.all([say(one!.url, 'left', 0), say(other!.url, 'right', (round % 20) * 2)])
      const [listed] = await history.conversations({ only: begun.conversation })
      expect(listed?.threads).toHaveLength(2)
    }

    // An instance that is killed in the middle of its work leaves nothing that the other cannot go on with.
    one!.child.kill('SIGKILL')
    await one!.ended
    const after = await ask(other!.url, [
      ...next('left'),
      both[0]!.message,
      { role: 'user', content: 'more' },
    ])
    expect(after.conversation).toBe(conversation)
  })
})

async function ask(
  url: string,
  messages: readonly MessageLike[],
): Promise<{ message: MessageLike; conversation: string }> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'reader', messages }),
  })
  const text = await response.text()
  expect(response.status, text).toBe(200)
  // A log that is busy is passed by: the same list brings in what was missed.
  if (response.headers.get('x-throughline-stored') === 'no') return ask(url, messages)
  const { choices } = JSON.parse(text) as { choices: { message: MessageLike }[] }
  return {
    message: choices[0]!.message,
    conversation: response.headers.get('x-throughline-conversation')!,
  }
}

/** PgBouncer before a PostgreSQL. */
async function pooled(program: string, url: string): Promise<string> {
  const { hostname, port, username, pathname } = new URL(url)
  const folder = newFolder()
  chmodSync(folder, 0o777)
  const own = await freePort()
  const settings = [
    '[databases]',
    `pooled = host=${hostname} port=${port} user=${username} dbname=${pathname.slice(1)}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${own}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 4',
    'ignore_startup_parameters = extra_float_digits',
  ]
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(file, `${settings.join('\n')}\n`)
  const started = startAs(program, [file])
  onTestFinished(() => started.end('SIGINT'))
  const address = `postgres://${username}@127.0.0.1:${own}/pooled`
  for (;;) {
    const client = new pg.Client({ connectionString: address })
    try {
      await client.connect()
      await client.end()
      return address
    } catch (error) {
      await client.end().catch(() => undefined)
      if (started.hasEnded()) throw error
      await wait(50)
    }
  }
}
