import { postgresStore } from '@throughline/stores/postgres'
import { describePostgres } from '@throughline/test-tools/postgres'
import { startServer } from '@throughline/test-tools/start-server'
import { expect, it, onTestFinished } from 'vitest'
import { createKeys } from '../src/auth/create-keys.ts'
import { faces } from './faces.ts'

const stored = 'x-throughline-stored'

describePostgres(
  'a database that is stopped',
  postgres => {
    it.skipIf(process.env.DATABASE_URL)(
      'stops no whole list, and has what was missed when it is back',
      async () => {
        const store = postgresStore({ url: postgres.url })
        await store.migrate()
        const { key } = await createKeys(store).create({ name: 'ada' })
        let time = Date.now()
        const { url, history } = await startServer({
          ...{ store, requireKeys: true, storeWaitMs: 200, now: () => time },
        })
        onTestFinished(() => store.close())
        const send = (way: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
          fetch(`${url}${way}`, {
            method: 'POST',
            headers: {
              'content-type': 'application/json',
              authorization: `Bearer ${key}`,
              ...headers,
            },
            body: JSON.stringify({ model: 'reader', ...body }),
          })
        const said = new Map<string, readonly string[]>()
        const lists = Object.entries(faces)
        for (const [name, { path, body, textOf }] of lists) {
          const response = await send(path, body([`I like ${name}.`]))
          said.set(name, [`I like ${name}.`, textOf((await response.json()) as never)])
        }
        await send(faces.chat.path, faces.chat.body(['one']), {
          'x-throughline-conversation': 'kitchen',
        })

        await postgres.stopImmediate()
        // The server looks its keys up anew by then.
        time += 60_000
        for (const [name, { path, body, textOf }] of lists) {
          const texts = [...said.get(name)!, 'What do I like?']
          const response = await send(path, body(texts))
          expect([response.status, response.headers.get(stored)]).toEqual([200, 'no'])
          said.set(name, [...texts, textOf((await response.json()) as never)])
          const needy = await send(path, body(['two']), { 'x-throughline-conversation': 'kitchen' })
          expect(needy.status).toBe(503)
          expect(await needy.text()).not.toMatch(/postgres|PG[A-Z]+|\burl\b|127\.0|ECONN/i)
        }
        const readiness = await fetch(`${url}/health/readiness`)
        expect([readiness.status, await readiness.json()]).toMatchObject([503, { store: 'away' }])
        const unknown = `tl_${'0'.repeat(12)}_${'a'.repeat(43)}`
        expect(
          (await send(faces.chat.path, {}, { authorization: `Bearer ${unknown}` })).status,
        ).toBe(503)

        await postgres.restart()
        await expect.poll(async () => (await fetch(`${url}/health/readiness`)).status).toBe(200)
        for (const [name, { path, body }] of lists) {
          const response = await send(path, body([...said.get(name)!, 'Thanks.']))
          expect([response.status, response.headers.get(stored)]).toEqual([200, null])
        }
        const logged = new Set<string>()
        for (const { conversation, threads } of await history.conversations()) {
          if (conversation === 'kitchen') continue
          expect(threads.map(({ branch }) => branch)).toEqual(['main'])
          const messages = await history.thread(conversation).display()
          logged.add(JSON.stringify(messages.slice(0, 5).map(({ content }) => content)))
        }
        expect(logged).toEqual(
          new Set([...said.values()].map(texts => JSON.stringify([...texts, 'Thanks.']))),
        )
      },
    )
  },
  { isOwn: true },
)
