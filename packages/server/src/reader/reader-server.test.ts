import { expect, it } from 'vitest'
import { readerServer } from './reader-server.ts'

const ask = (options: Readonly<Record<string, unknown>>) =>
  readerServer({ window: 512 })(
    new Request('http://reader/api/chat', {
      method: 'POST',
      body: JSON.stringify({
        model: 'reader',
        messages: [{ role: 'user', content: 'Hello.' }],
        stream: false,
        options,
      }),
    }),
  )

it('refuses a window of less than one token', async () => {
  const response = await ask({ num_ctx: 0.5 })
  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({ error: '"options.num_ctx" must be 1 or more' })
})

it('takes a window that is no whole number as the whole number below it', async () => {
  expect((await ask({ num_ctx: 100.5 })).status).toBe(200)
})

it('stops the reader when the body of its answer is cancelled', async () => {
  let left: AbortSignal | undefined
  const server = readerServer({
    delayMs: 3_600_000,
    onRequest: (_, { signal }) => {
      left = signal
    },
  })
  const body = JSON.stringify({
    model: 'reader',
    messages: [{ role: 'user', content: 'I park on level 3.' }],
  })
  const response = await server(new Request('http://reader/api/chat', { method: 'POST', body }))
  expect(left!.aborted).toBe(false)
  await response.body!.cancel()
  expect(left!.aborted).toBe(true)
})
