import { expect, it } from 'vitest'
import { ollamaAnswer } from '../../../test/scripted-upstream.ts'
import { partsOf, textOf, upstreamWith } from '../upstream.fixture.ts'
import { ollama } from './ollama.ts'

const messages = [{ role: 'user', content: 'hello' }]
const begun = { chunks: ollamaAnswer([{ content: 'one' }]).chunks.slice(0, 1), ending: 'stall' } as const

it('closes the connection when the signal aborts in the stream, and throws its reason', async () => {
  const upstream = await upstreamWith([begun])
  const controller = new AbortController()
  const stream = ollama({ model: 'm', window: 2048, host: upstream.url }).stream({
    messages,
    signal: controller.signal,
  })
  const reason = new Error('the user left')
  const parts = stream[Symbol.asyncIterator]()
  expect(await parts.next()).toEqual({ done: false, value: { type: 'text-delta', text: 'one' } })
  expect(upstream.requests[0]!.state()).toBe('open')
  const next = parts.next()
  controller.abort(reason)
  await expect(next).rejects.toBe(reason)
  expect(await upstream.requests[0]!.ended).toBe('left')
})

it('closes the connection when the signal aborts before the first word', async () => {
  const upstream = await upstreamWith([{ ending: 'stall' }])
  const controller = new AbortController()
  const model = ollama({ model: 'm', window: 2048, host: upstream.url })
  const parts = partsOf(model.stream({ messages, signal: controller.signal }))
  await expect.poll(() => upstream.requests.length).toBe(1)
  controller.abort('enough')
  await expect(parts).rejects.toBe('enough')
  expect(await upstream.requests[0]!.ended).toBe('left')
})

it('closes the connection when the reader stops reading', async () => {
  const upstream = await upstreamWith([begun])
  const model = ollama({ model: 'm', window: 2048, host: upstream.url })
  for await (const part of model.stream({ messages })) {
    expect(part.type).toBe('text-delta')
    break
  }
  expect(await upstream.requests[0]!.ended).toBe('left')
})

it('cancels no other request', async () => {
  const other = ollamaAnswer([{ content: 'still' }, { content: ' here' }])
  let release = () => {}
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  const upstream = await upstreamWith((_, at) => (at === 0 ? begun : other))
  const slow: typeof fetch = async (...given) => {
    const response = await fetch(...given)
    if (upstream.requests.length > 1) await held
    return response
  }
  const model = ollama({ model: 'm', window: 2048, host: upstream.url, fetch: slow })
  const controller = new AbortController()
  const first = model.stream({ messages, signal: controller.signal })[Symbol.asyncIterator]()
  await first.next()
  const second = partsOf(model.stream({ messages }))
  await expect.poll(() => upstream.requests.length).toBe(2)
  controller.abort('enough')
  await expect(first.next()).rejects.toBe('enough')
  expect(await upstream.requests[0]!.ended).toBe('left')
  release()
  expect(textOf(await second)).toBe('still here')
  expect(await upstream.requests[1]!.ended).toBe('whole')
})

it('asks nothing when the signal has aborted already', async () => {
  const upstream = await upstreamWith([begun])
  const model = ollama({ model: 'm', host: upstream.url })
  const signal = AbortSignal.abort('before')
  await expect(partsOf(model.stream({ messages, signal }))).rejects.toBe('before')
  await expect(model.window(signal)).rejects.toBe('before')
  expect(upstream.requests).toEqual([])
})

it('lets a whole reply come to its end, so that its connection can be used again', async () => {
  const upstream = await upstreamWith(() => ollamaAnswer([{ content: 'a' }]))
  const model = ollama({ model: 'm', window: 2048, host: upstream.url })
  for (let turn = 0; turn < 3; turn++) await partsOf(model.stream({ messages }))
  const ends = await Promise.all(upstream.requests.map(request => request.ended))
  expect(ends).toEqual(['whole', 'whole', 'whole'])
})
