import { words } from '@throughline/core/counters'
import { memoryStore } from '@throughline/stores/memory'
import type { Store } from '@throughline/stores/store'
import { isLong } from '@throughline/test-tools/is-long'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createHistory } from '../create-history.ts'
import { chatgptFile, files } from './formats/formats.fixture.ts'
import { InvalidImportError } from './import-error.ts'

/** Files of every form, changed at random: each is taken whole, or refused with its place and nothing of it is stored. */
const numRuns = process.env.THROUGHLINE_LONG ? 1_000 : 25

/** As JSON: some of these no `JSON.stringify` would write. */
const oddValues = [
  ...[
    'null',
    'true',
    '0',
    '-1',
    '1.5',
    '1e400',
    '-0',
    '9007199254740993',
    '""',
    '"x"',
    '"\\u0000"',
    '"\\ud800"',
  ],
  ...[
    '"\u2028"',
    '[]',
    '{}',
    '[[]]',
    '[null]',
    '{"__proto__":{"role":"user"}}',
    '"__proto__"',
    '"constructor"',
  ],
  ...[
    '"user"',
    '"assistant"',
    '"tool"',
    '"2025-13-45"',
    '1e300',
    '[{"type":"tool_use"}]',
    '{"text":{"value":3}}',
  ],
  `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
  JSON.stringify('long '.repeat(500)),
]

const change = fc.record({
  how: fc.constantFrom(
    'value',
    'value',
    'value',
    'value',
    'copy',
    'drop',
    'add',
    'cut',
    'insert',
    'line',
  ),
  at: fc.nat(),
  from: fc.nat(),
  odd: fc.constantFrom(...oddValues),
  character: fc.constantFrom('\0', '\ud800', '\ufeff', '"', '\\', '}', ']', ',', '\n', '[{'),
})
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

/** Every value of a JSON text with what holds it. */
function placesIn(root: unknown): (readonly [holder: Record<string, unknown>, key: string])[] {
  const places: (readonly [holder: Record<string, unknown>, key: string])[] = []
  const waiting = [root]
  for (const value of waiting) {
    if (typeof value !== 'object' || value === null) continue
    for (const key of Object.keys(value)) {
      places.push([value as Record<string, unknown>, key])
      waiting.push((value as Record<string, unknown>)[key])
    }
  }
  return places
}

const mark = '\u0001here'

/** Changes a value of the file: of its list, or of one of its lines. */
function changeValue(text: string, { how, at, from, odd }: Change): string {
  const lines = text.startsWith('[') ? [text] : text.split('\n')
  const line = at % lines.length
  const root = { file: JSON.parse(lines[line]!) as unknown }
  const places = placesIn(root)
  const [holder, key] = places[at % places.length]!
  const [other, otherKey] = places[from % places.length]!
  if (how === 'drop' && !Array.isArray(holder)) delete holder[key]
  else if (how === 'copy') holder[key] = structuredClone(other[otherKey])
  else if (how === 'add')
    Object.defineProperty(holder, '__proto__', {
      value: mark,
      enumerable: true,
      configurable: true,
    })
  else holder[key] = mark
  lines[line] = (JSON.stringify(root.file) ?? 'null').replace(JSON.stringify(mark), () => odd)
  return lines.join('\n')
}

function mutate(text: string, changes: readonly Change[]): string {
  let changed = text
  for (const one of changes) {
    const at = one.at % Math.max(changed.length, 1)
    if (one.how === 'cut') changed = changed.slice(0, at)
    else if (one.how === 'insert')
      changed = changed.slice(0, at) + one.character + changed.slice(at)
    else if (one.how === 'line') {
      const lines = changed.split('\n')
      lines.splice(one.at % lines.length, 1)
      changed = lines.join('\n')
    } else
      try {
        changed = changeValue(changed, one)
      } catch {
        // What another change broke stays as it is.
      }
  }
  return changed
}

/** Imports; throws for what must not be. */
async function tryImport(text: string, store: Store): Promise<'taken' | 'refused'> {
  const history = createHistory({ store, count: words(), now: () => 1_000_000 })
  const result = await history.import(text).catch((error: unknown) => error)
  if (result instanceof Error) {
    expect(result).toBeInstanceOf(InvalidImportError)
    const { line, path = '$' } = result as InvalidImportError
    expect(line >= 1 && line <= text.split('\n').length, `line ${line}`).toBe(true)
    expect(path).toMatch(/^\$/)
    expect(await history.conversations()).toEqual([])
    return 'refused'
  }
  const { entries, added, conversations } = result as Awaited<ReturnType<typeof history.import>>
  expect(added).toBe(entries)
  const listed = await history.conversations()
  expect(listed.map(({ conversation }) => conversation).sort()).toEqual([...conversations].sort())
  let stored = 0
  for (const { conversation, threads } of listed)
    for (const { actor, branch } of threads) {
      const thread = history.thread(conversation, { actor, branch })
      const { forkOf } = (await store.head(thread.key))!
      stored += (await thread.entries()).length - (forkOf?.at ?? 0)
      await thread.context({ window: 8192, overflow: 'keep' })
      await thread.display()
    }
  expect(stored).toBe(entries)
  expect(await history.check()).toEqual([])
  expect(await history.import(text)).toEqual({ ...(result as object), added: 0 })
  return 'taken'
}

const changes = fc.array(change, { minLength: 1, maxLength: 3 })

describe.each(Object.entries(files))('a file of %s that was changed at random', (_, text) => {
  it(`is taken whole or refused with its place: ${numRuns} files`, async () => {
    const outcomes = { taken: 0, refused: 0 }
    await fc.assert(
      fc.asyncProperty(changes, async given => {
        outcomes[await tryImport(mutate(text, given), memoryStore())] += 1
      }),
      { numRuns, seed: 7 },
    )
    expect(outcomes.taken).toBeGreaterThan(0)
    expect(outcomes.refused).toBeGreaterThan(0)
  }, 600_000)
})

/** Faults that the property must find. */
const faults: Readonly<Record<string, (store: Store) => Store['restore']>> = {
  'loses a branch': store => (thread, stretch) =>
    thread.branch === 'main' ? store.restore(thread, stretch) : Promise.resolve({ head: 0 }),
  'writes the first conversation before it has seen the second': store => (thread, stretch) => {
    if (thread.conversation === 'chatgpt-second')
      throw new InvalidImportError({ line: 1 }, 'planted')
    return store.restore(thread, stretch)
  },
  'gives messages the time of their place': store => (thread, stretch) =>
    store.restore(thread, {
      ...stretch,
      entries: stretch.entries.map(entry => ({ ...entry, time: entry.seq })),
    }),
}

it.each(Object.keys(faults))('finds an import that %s', async name => {
  const property = fc.asyncProperty(changes, async given => {
    const store = memoryStore()
    await tryImport(mutate(chatgptFile, given), { ...store, restore: faults[name]!(store) })
  })
  await expect(fc.assert(property, { numRuns: 25, seed: 7, endOnFailure: true })).rejects.toThrow()
})

/** A tree of ChatGPT's form. */
const tree = (nodes: readonly (readonly [id: string, parent: string | null])[]) =>
  JSON.stringify([
    {
      id: 'tree',
      mapping: Object.fromEntries(
        nodes.map(([id, parent], at) => [
          id,
          {
            parent,
            message: {
              author: { role: at === 0 ? 'user' : 'assistant' },
              content: { content_type: 'text', parts: [id] },
            },
          },
        ]),
      ),
    },
  ])

describe('a hostile file', () => {
  const refused = async (text: string | string[], problem: RegExp, where: object) => {
    const history = createHistory({ store: memoryStore(), count: words() })
    const error = await history.import(text).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(InvalidImportError)
    expect((error as Error).message).toMatch(problem)
    expect(error).toMatchObject(where)
    expect(await history.conversations()).toEqual([])
  }

  it('is refused: parents in a circle, parents that are not there, ids that come twice', async () => {
    const circle = tree([
      ['a', null],
      ['b', 'c'],
      ['c', 'b'],
    ])
    await refused(circle, /in a circle/, { path: '$[0].mapping["b"]' })
    await refused(tree([['a', 'a']]), /in a circle/, { path: '$[0].mapping["a"]' })
    await refused(tree([['a', 'z']]), /parent is not in the file/, { path: '$[0].mapping["a"]' })
    const [line] = files['Claude Code']!.split('\n').slice(3)
    await refused(`${line}\n${line}`, /id came before/, { line: 2 })
  })

  it('is refused: thousands of answers to one message, or nesting without end', async () => {
    const wide = tree([
      ['u', null],
      ...Array.from({ length: isLong ? 100_000 : 10_000 }, (_, n) => [`a${n}`, 'u'] as const),
    ])
    await refused(wide, /more than 1000 branches/, { line: 1 })
    const deep = `[{"mapping":${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}}]`
    await refused(deep, /nested too deeply/, { path: '$[0]' })
    const inside = { role: 'user', content: [{ type: 'x', x: 'DEEP' }] }
    const list = JSON.stringify([inside]).replace(
      '"DEEP"',
      `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    )
    await refused(list, /nested too deeply/, { path: '$[0]' })
  })

  it('is refused: what is no chat, a ZIP archive, a list without an end, a second list', async () => {
    await refused('{"a":1}', /no chat that Throughline knows/, { line: 1 })
    await refused('PK\u0003\u0004\u0014...', /ZIP archive/, { line: 1 })
    await refused('[{"role":"user","content":"a"},', /no end/, { line: 1 })
    await refused('[{"role":"user","content":"a"} {"role":"user"}]', /no JSON/, { line: 1 })
    await refused(['{"role":"user","content":"a"}', '{"role":"user","con'], /no JSON/, { line: 2 })
    await refused(
      '[\n{"role":"user","content":"a"},\n{"role":"king","content":"b"}]',
      /role "king"/,
      {
        line: 3,
        path: '$[1]',
      },
    )
  })

  it('is read by other keys than those of its prototype, and odd characters are replaced', async () => {
    const history = createHistory({ store: memoryStore(), count: words() })
    await history.import(
      tree([
        ['__proto__', null],
        ['constructor', '__proto__'],
      ]),
    )
    expect((await history.thread('chatgpt-tree').messages()).length).toBe(2)
    await history.import(
      '{"id":"odd\\u0000","messages":[{"role":"user","content":"a\\u0000b\\ud800c"}]}',
    )
    const { conversation } = (await history.conversations({ order: 'name' }))[0]!
    expect(conversation).toMatch(/^chat-[0-9a-f]{32}$/)
    expect((await history.thread(conversation).messages())[0]).toMatchObject({
      content: 'a\ufffdb\ufffdc',
    })
  })
})
