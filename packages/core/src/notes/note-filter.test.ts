import { describe, expect, it } from 'vitest'
import { noteFilter } from './note-scanner.ts'

const streamOf = (chunks: readonly string[]) =>
  new ReadableStream<string>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })

async function read(chunks: readonly string[], options: { nonce?: string } = {}) {
  const notes: string[] = []
  const out: string[] = []
  const filter = noteFilter({ ...options, onNote: note => notes.push(note) })
  for await (const chunk of streamOf(chunks).pipeThrough(filter)) out.push(chunk)
  return { out, notes }
}

describe('noteFilter', () => {
  it('passes text as it arrives and hands over the note at the end', async () => {
    expect(
      await read([
        "I've added",
        ' the footer section.\n',
        '\n[NO',
        'TE TO SELF: I added',
        ' the footer.',
        ']',
      ]),
    ).toEqual({ out: ["I've added", ' the footer section.'], notes: ['I added the footer.'] })
  })

  it('gives what it held back when it was no note', async () => {
    expect(await read(['See [NO', 'TE 1] and [N'])).toEqual({
      out: ['See', ' [NOTE 1] and', ' [N'],
      notes: [],
    })
  })

  it('emits nothing for a reply that is only a note', async () => {
    expect(await read([...'[NOTE TO SELF: x]'])).toEqual({ out: [], notes: ['x'] })
  })

  it('keeps only a note with its nonce', async () => {
    expect(await read(['[NOTE TO SELF: a]', '[NOTE TO SELF a1b2: b]'], { nonce: 'a1b2' })).toEqual({
      out: [],
      notes: ['b'],
    })
  })

  it('needs no options', async () => {
    const reader = streamOf(['a [NOTE TO SELF: b]']).pipeThrough(noteFilter()).getReader()
    expect(await reader.read()).toEqual({ done: false, value: 'a' })
    expect((await reader.read()).done).toBe(true)
  })

  it('releases text before the stream has ended', async () => {
    const filter = noteFilter()
    const writer = filter.writable.getWriter()
    const reader = filter.readable.getReader()
    void writer.write('Hello')
    expect(await reader.read()).toEqual({ done: false, value: 'Hello' })
    await writer.close()
  })

  it('emits nothing of a note when the source breaks', async () => {
    const source = new ReadableStream<string>({
      pull(controller) {
        controller.enqueue('a [NOTE TO SELF: b')
        controller.error(new Error('reset'))
      },
    })
    const out: string[] = []
    await expect(async () => {
      for await (const chunk of source.pipeThrough(noteFilter())) out.push(chunk)
    }).rejects.toThrow('reset')
    expect(out.join('')).not.toContain('b')
  })
})
