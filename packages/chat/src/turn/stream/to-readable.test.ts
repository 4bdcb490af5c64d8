import { expect, it } from 'vitest'
import { textWriter, toReadable } from './to-readable.ts'

async function* given(...texts: readonly string[]) {
  yield* texts
}

async function* silent() {
  yield 'one'
  await new Promise(() => {})
}

it('gives what comes and closes, and tells once that it is over', async () => {
  const ends: unknown[] = []
  const stream = toReadable(given('a', '', 'b'), textWriter(), {
    onEnd: reason => ends.push(reason),
  })
  expect(await new Response(stream).text()).toBe('ab')
  expect(ends).toEqual([undefined])
})

it('makes nothing before it is read', async () => {
  let made = 0
  async function* counted() {
    for (; made < 100; made++) yield made
  }
  const reader = toReadable(counted(), one => one).getReader()
  await new Promise(setImmediate)
  expect(made).toBe(0)
  expect((await reader.read()).value).toBe(0)
  await reader.cancel()
  expect(made).toBeLessThan(3)
})

it('gives signs of life in silence, none where the form has none, and leaves when its reader does', async () => {
  const ends: unknown[] = []
  const keepAlive = { ms: 1, item: () => ':' }
  const options = { keepAlive, onEnd: (reason: unknown) => ends.push(reason) }
  const reader = toReadable(silent(), one => one, options).getReader()
  const read = [await reader.read(), await reader.read(), await reader.read()].map(
    ({ value }) => value,
  )
  expect(read).toEqual(['one', ':', ':'])
  await reader.cancel()
  expect(ends).toEqual([undefined])
})

it('cuts off a reader that leaves unread what came', async () => {
  const ends: { readonly code?: string }[] = []
  const reader = toReadable(silent(), one => one, {
    unreadMs: 1,
    onEnd: reason => ends.push(reason as { readonly code?: string }),
  }).getReader()
  expect((await reader.read()).value).toBe('one')
  await expect.poll(() => ends.map(({ code }) => code)).toEqual(['client_unread'])
  await expect(reader.read()).rejects.toMatchObject({ code: 'client_unread' })
})

it('fails where its source fails', async () => {
  async function* failing() {
    yield 'one'
    throw new Error('it broke')
  }
  const reader = toReadable(failing(), one => one).getReader()
  await reader.read()
  await expect(reader.read()).rejects.toThrow('it broke')
})
