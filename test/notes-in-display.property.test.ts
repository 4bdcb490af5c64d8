import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createChat, defineTool } from '@throughline/chat'
import type { MessageLike } from '@throughline/core/messages'
import { noteFilter, splitNote, toDisplay } from '@throughline/core/notes'
import { createRandom } from '@throughline/core/testing'
import { createHistory } from '@throughline/history'
import type { Model } from '@throughline/models'
import { memoryStore } from '@throughline/stores/memory'
import { sqliteStore } from '@throughline/stores/sqlite'
import { isLong } from '@throughline/test-tools/is-long'
import { runCli } from '@throughline/test-tools/run-cli'
import { noteWriter, type Secrets } from '@throughline/test-tools/secret-notes'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

const seeds = isLong ? 40_000 : 200
const fewSeeds = isLong ? 2_000 : 15

/** What of the secrets stands in a text, whole or in the writing that a tool gave it. */
const leaked = (text: string, { tokens, writings }: Secrets) =>
  [...tokens, ...writings].filter(token => text.includes(token))

const unhidden = (shown: unknown, secrets: Secrets) => leaked(JSON.stringify(shown) ?? '', secrets)

/** The first seed at which something that must be hidden is shown. */
function firstLeak(
  display: (messages: readonly MessageLike[]) => unknown,
  count: number,
): string | undefined {
  for (let seed = 1; seed <= count; seed += 1) {
    const { messages, secrets } = noteWriter(seed).conversation()
    const found = unhidden(display(messages), secrets)
    if (found.length > 0) return `seed ${seed}: ${found.join(', ')} in ${JSON.stringify(messages)}`
  }
  return undefined
}

describe('notes in a conversation', () => {
  it('are never shown, wherever they stand', { timeout: 600_000 }, () => {
    expect(firstLeak(toDisplay, seeds)).toBeUndefined()
  })

  it('are in what is made up here: a display with a fault is caught', () => {
    type Display = (messages: readonly MessageLike[]) => unknown
    /** What the field was is shown as it came. */
    const skipping =
      (field: string): Display =>
      messages =>
        messages.map(message => [
          toDisplay([message]),
          (message as unknown as Record<string, unknown>)[field],
        ])
    const faults: Readonly<Record<string, Display>> = {
      'without function_call': skipping('function_call'),
      'without content parts': skipping('content'),
      'results as they are': messages => [
        toDisplay(messages),
        messages.filter(({ role }) => role === 'tool'),
      ],
      'in the very form only': messages =>
        JSON.stringify(messages.filter(({ role }) => role === 'assistant')).replace(
          /\[NOTE TO SELF: [^\]]*\]/g,
          '',
        ),
    }
    for (const [name, display] of Object.entries(faults))
      expect(firstLeak(display, 300), name).toBeDefined()
  })
})

/** A text in pieces, some of one letter. */
function cutUp(text: string, random: (below: number) => number): string[] {
  const chunks: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = at + 1 + random(random(3) ? 4 : 30)
    chunks.push(text.slice(at, end))
    at = end
  }
  return chunks
}

async function streamed(
  chunks: readonly string[],
  nonce: string | undefined,
): Promise<readonly string[]> {
  const shown: string[] = []
  const source = new ReadableStream<string>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  for await (const part of source.pipeThrough(noteFilter({ nonce }))) shown.push(part)
  return shown
}

describe('notes in a reply that is streamed', () => {
  it('are never shown, however the chunks are cut', { timeout: 600_000 }, async () => {
    for (let seed = 1; seed <= seeds; seed += 1) {
      const { text, secrets, nonce } = noteWriter(seed).reply()
      const parts = await streamed(cutUp(text, createRandom(seed)), nonce)
      expect(leaked(parts.join(''), secrets), `seed ${seed}: ${JSON.stringify(text)}`).toEqual([])
      expect(parts.join('')).toBe(splitNote(text, { nonce }).visible)
    }
  })

  it('are shown by a filter that looks at each chunk alone', () => {
    const faults = Array.from({ length: 300 }, (_, seed) => {
      const { text, secrets, nonce } = noteWriter(seed).reply()
      const shown = cutUp(text, createRandom(seed)).map(
        chunk => splitNote(chunk, { nonce }).visible,
      )
      return leaked(shown.join(''), secrets).length
    })
    expect(Math.max(...faults)).toBeGreaterThan(0)
  })
})

it('a chat shows no note: not live, not when asked again, not in its display', {
  timeout: 600_000,
}, async () => {
  for (let seed = 1; seed <= fewSeeds; seed += 1) {
    const writer = noteWriter(seed)
    const random = createRandom(seed)
    const { text, nonce } = writer.reply()
    const call = writer.jsonCall()
    let asked = 0
    const model: Model = {
      name: 'scripted',
      window: async () => 4096,
      async *stream() {
        asked += 1
        for (const chunk of cutUp(text, random)) yield { type: 'text-delta', text: chunk }
        if (asked === 1) yield { type: 'tool-call', id: 'c', name: 'echo', arguments: call }
        yield { type: 'end', reason: 'stop', usage: {} }
      },
    }
    const tools = [
      defineTool({
        name: 'echo',
        input: z.any(),
        run: input => writer.echo(JSON.stringify(input)),
      }),
    ]
    const history = createHistory({ store: memoryStore() })
    const chat = createChat({ history, model, tools, notes: nonce ? { nonce } : true })
    for (const _ of ['live', 'again']) {
      const parts: unknown[] = []
      for await (const part of chat.send('Go on.', { conversation: 'c', key: 'k' }))
        if (part.type !== 'context' && part.type !== 'note') parts.push(part)
      expect(unhidden(parts, writer.secrets), `seed ${seed}`).toEqual([])
    }
    const display = await history.thread('c').display()
    expect(unhidden(display, writer.secrets), `seed ${seed}`).toEqual([])
  }
})

describe('search', () => {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-notes-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  async function shownBySearch(seed: number, scope: 'shown' | 'everything', path?: string) {
    const { messages, secrets, nonce } = noteWriter(seed).conversation()
    const history = createHistory({ store: path ? sqliteStore({ path }) : memoryStore() })
    await history.thread(`c${seed}`).seed(...messages)
    const found: unknown[] = []
    for (const word of [...secrets.tokens, 'tide', 'write_note_to_self'])
      found.push(...(await history.search(word, { scope, limit: 1_000 })))
    await history.close()
    return { secrets, found, nonce }
  }

  it('finds and quotes no note', { timeout: 600_000 }, async () => {
    for (let seed = 1; seed <= fewSeeds; seed += 1) {
      const { secrets, found } = await shownBySearch(seed, 'shown')
      expect(unhidden(found, secrets), `seed ${seed}`).toEqual([])
    }
  })

  it('would be caught if it did, and finds them for operators', async () => {
    const { secrets, found } = await shownBySearch(1, 'everything')
    expect(unhidden(found, secrets)).not.toEqual([])
  })

  it('shows none on the terminal either', async () => {
    const db = join(folder, 'log.db')
    const print = async (...args: readonly string[]) =>
      (await runCli(['log', ...args, '--db', db])).stdout
    const nonces = new Set<string | undefined>()
    for (const seed of [2, 4, 7]) {
      const { secrets, nonce } = await shownBySearch(seed, 'shown', db)
      nonces.add(nonce)
      const shown = [
        await print('show', `c${seed}`),
        await print('search', 'tide'),
        await print('search', secrets.tokens[0]!),
      ].join('')
      expect(shown).toContain('tide')
      expect(leaked(shown, secrets)).toEqual([])
    }
    expect([...nonces]).toEqual([undefined, 'x7'])
  })
})
