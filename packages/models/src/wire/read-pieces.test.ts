import { growth, notLinear } from '@throughline/test-tools/growth'
import { describe, expect, it } from 'vitest'
import { ollama } from '../dialects/ollama/ollama.ts'
import { openaiCompatible } from '../dialects/openai/openai-compatible.ts'
import { partsOf, textOf, upstreamWith } from '../upstream.fixture.ts'
import { cutters, readPieces } from './read-pieces.ts'

const server = { name: 'It', model: 'm', notFound: '', unavailable: '', sent: () => [] }

/** The lists of pieces that come out of a text that the network has cut into chunks of this size. */
async function piecesOf(piece: 'line' | 'event', text: string, size: number) {
  const bytes = new TextEncoder().encode(text)
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  const lists: (readonly string[])[] = []
  for await (const list of readPieces(chunks(), piece, server))
    lists.push(list.map(({ data }) => data))
  return lists
}

describe('readPieces', () => {
  const lines = '{"a":"ä 🌊"}\n{"b":2}\n\n{"c'
  const events =
    ': hello\n\ndata: ä 🌊\ndata:2\n\nevent: x\nid: 7\ndata: {"b":3}\n\n\nerror: late\n\ndata: 4'

  it('gives lines, or the data of events, however they were cut', async () => {
    for (const size of [1, 2, 3, 5, 8, 999]) {
      expect((await piecesOf('line', lines, size)).flat()).toEqual([
        '{"a":"ä 🌊"}',
        '{"b":2}',
        '',
        '{"c',
      ])
      for (const text of [events, events.replaceAll('\n', '\r\n'), events.replaceAll('\n', '\r')])
        expect((await piecesOf('event', text, size)).flat()).toEqual([
          'ä 🌊\n2',
          '{"b":3}',
          'late',
          '4',
        ])
    }
  })

  it('keeps what an event or a line needs to be sent on', async () => {
    const texts = async (piece: 'line' | 'event', text: string) => {
      const sent: string[] = []
      const bytes = [new TextEncoder().encode(text)] as unknown as AsyncIterable<Uint8Array>
      for await (const list of readPieces(bytes, piece, server))
        for (const { text } of list) sent.push(text)
      return sent.join('')
    }
    expect(await texts('event', 'event: x\nid: 7\ndata: a\ndata: b\n\ndata: c\n\n')).toBe(
      'event: x\nid: 7\ndata: a\ndata: b\n\ndata: c\n\n',
    )
    expect(await texts('line', '{"a":1}\n{"b":2}\n')).toBe('{"a":1}\n{"b":2}\n\n')
  })

  it('gives those together that came together', async () => {
    expect(await piecesOf('line', 'a\nb\nc', 4)).toEqual([['a', 'b'], ['c']])
    expect(await piecesOf('event', 'data: a\n\ndata: b\n\ndata: c', 20)).toEqual([
      ['a', 'b'],
      ['c'],
    ])
  })

  it.each(['line', 'event'] as const)('takes no more than linear work: %s', piece => {
    const push = (chunks: readonly string[]) => {
      const cutter = cutters[piece]()
      for (const chunk of chunks) cutter.push(chunk)
    }
    const inputs: Readonly<Record<string, (size: number) => readonly string[]>> = {
      'a long one in many chunks': size => [
        'data: ',
        ...Array.from({ length: size }, () => 'x'),
        '\n\n',
      ],
      'short ones in one chunk': size => ['data: x\n\n'.repeat(size)],
      'two kinds of line breaks in one chunk': size => [
        `${'\n'.repeat(size)}\r`,
        `${'\r'.repeat(size)}\n`,
      ],
    }
    // Of more than this the pieces fill the memory for what is new: its collector would be measured, which other programs slow.
    for (const [name, make] of Object.entries(inputs))
      expect([name, growth(make, push, { size: 4_000 }) < notLinear]).toEqual([name, true])
  })

  it('takes a mark of byte order at the beginning for none', async () => {
    expect((await piecesOf('event', '\ufeffdata: a\n\n', 2)).flat()).toEqual(['a'])
  })
})

describe('an answer', () => {
  const megabyte = 'x'.repeat(1024 * 1024)

  it('that never ends fails the question for the window too', async () => {
    const chunks = ['{"models":"', ...Array.from({ length: 24 }, () => megabyte)]
    const upstream = await upstreamWith(() => ({ chunks, ending: 'stall' }))
    const model = ollama({ model: 'm', host: upstream.url })
    await expect(model.window()).rejects.toMatchObject({ code: 'model_stream_broken' })
    const list = openaiCompatible({ model: 'm', baseURL: upstream.url })
    await expect(list.window()).rejects.toMatchObject({ code: 'model_stream_broken' })
  })

  it('may have a long line that ends', async () => {
    const content = 'x'.repeat(5_000_000)
    const line = `${JSON.stringify({ message: { content }, done: true })}\n`
    const upstream = await upstreamWith([{ chunks: [line.slice(0, 9), line.slice(9)] }])
    const model = ollama({ model: 'm', window: 2048, host: upstream.url })
    expect(textOf(await partsOf(model.stream({ messages: [] }))).length).toBe(content.length)
  })
})
