import { describe, expect, it } from 'vitest'
import type { UpstreamAnswer } from '../../test/scripted-upstream.ts'
import { ollama } from './ollama/ollama.ts'
import { openaiCompatible } from './openai/openai-compatible.ts'
import { failureOf, textOf, upstreamWith } from './upstream.fixture.ts'
import { type Piece, wholePieces } from './whole-pieces.ts'

const server = { name: 'It', model: 'm', notFound: '', unavailable: '', sent: () => [] }

/** What comes out of a text that the network has cut into chunks of this size. */
async function piecesOf(piece: Piece, text: string, size: number): Promise<readonly string[]> {
  const bytes = new TextEncoder().encode(text)
  const chunks = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
      controller.close()
    },
  })
  const pieces: string[] = []
  for await (const one of chunks.pipeThrough(wholePieces(server, piece)))
    pieces.push(new TextDecoder('utf-8', { ignoreBOM: true }).decode(one))
  return pieces
}

describe('wholePieces', () => {
  it('gives whole lines, events or answers, however they were cut', async () => {
    const [lines, events] = ['{"a":"ä"}\n{"b":2}\n{"c', 'data: 1\ndata: 2\n\ndata: 3\r\n\r\n\n\ndata: 4']
    expect(await piecesOf('line', lines, 1)).toEqual(['{"a":"ä"}\n', '{"b":2}\n', '{"c'])
    expect(await piecesOf('line', lines, 99)).toEqual(['{"a":"ä"}\n{"b":2}\n', '{"c'])
    expect(await piecesOf('event', events, 1)).toEqual([
      'data: 1\ndata: 2\n\n',
      'data: 3\r\n\r\n',
      '\n',
      '\n',
      'data: 4',
    ])
    expect(await piecesOf('answer', lines, 4)).toEqual([lines])
    for (const piece of ['line', 'event', 'answer'] as const)
      for (const size of [1, 2, 3, 5, 8]) expect((await piecesOf(piece, events, size)).join('')).toBe(events)
  })

  it('hands a long line on once, in one piece, in as many chunks as it came', async () => {
    const line = `${'x'.repeat(100_000)}\n`
    for (const size of [10, 1000]) expect(await piecesOf('line', line, size)).toEqual([line])
  })
})

describe('a piece that never ends', () => {
  const megabyte = 'x'.repeat(1024 * 1024)
  const endless = (start: string): UpstreamAnswer => ({
    chunks: [start, ...Array.from({ length: 24 }, () => megabyte)],
    ending: 'stall',
  })
  const models = {
    ollama: { make: (host: string) => ollama({ model: 'm', window: 2048, host }), start: '{"message":"' },
    openai: {
      make: (baseURL: string) => openaiCompatible({ model: 'm', window: 2048, baseURL }),
      start: 'data: {"choices":"',
    },
  }

  it.each(Object.entries(models))(
    'fails the stream of %s before it fills the memory',
    async (_, { make, start }) => {
      const upstream = await upstreamWith([endless(start)])
      const { error } = await failureOf(
        make(upstream.url).stream({ messages: [{ role: 'user', content: 'hi' }] }),
      )
      expect(error).toMatchObject({ code: 'model_stream_broken', isRetryable: true })
      expect(error.message).toMatch(
        / sent more than 16777216 bytes where the (line|event) should have ended\./,
      )
      expect(await upstream.requests[0]!.ended).toBe('left')
    },
  )

  it('fails the question for the window too', async () => {
    const upstream = await upstreamWith(() => endless('{"models":"'))
    const model = ollama({ model: 'm', host: upstream.url })
    await expect(model.window()).rejects.toMatchObject({ code: 'model_stream_broken' })
    const list = openaiCompatible({ model: 'm', baseURL: upstream.url })
    await expect(list.window()).rejects.toMatchObject({ code: 'model_stream_broken' })
  })

  it('leaves a long line that ends as it is', async () => {
    const content = 'x'.repeat(5_000_000)
    const line = `${JSON.stringify({ message: { content }, done: true })}\n`
    const upstream = await upstreamWith([{ chunks: [line.slice(0, 9), line.slice(9)] }])
    const parts = []
    for await (const part of models.ollama.make(upstream.url).stream({ messages: [] })) parts.push(part)
    expect(textOf(parts).length).toBe(content.length)
  })
})
