import { createRandom } from '@throughline/core/testing'
import { answer } from '@throughline/models/reader'
import { growth, notLinear } from '@throughline/test-tools/growth'
import {
  artifact,
  balanced,
  type FitOptions,
  fit,
  type MessageLike,
  type Policy,
  parseMessage,
  sliding,
  spongebob,
  stable,
  ThroughlineError,
  thorough,
  tiered,
} from 'throughline'
import { digestExchange } from 'throughline/digests'
import { dump, explain } from 'throughline/explain'
import {
  createNoteScanner,
  journalOf,
  neutralizeNotes,
  splitNote,
  toDisplay,
} from 'throughline/notes'
import { pipe } from 'throughline/policy'
import { createStateReader, defineState } from 'throughline/state'
import { words } from 'throughline/testing'
import { estimate } from 'throughline/tokens'
import { o200k } from 'throughline/tokens/o200k'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

/**
 * Inputs that grow, put through the public functions at two sizes: the work grows with the size, not with its square.
 * An input is something small that comes again and again: that is what a pattern that goes back, or a list that is
 * walked for each of its items, cannot bear.
 */
type Random = ReturnType<typeof createRandom>

const list = <T>(size: number, make: (n: number) => T): T[] =>
  Array.from({ length: size }, (_, n) => make(n))

const atoms: readonly string[] = [
  ...' a"{}[]()<>=.,;:?!-_/\\|#&$0*`\'\n\t\r',
  ...[
    '\\"',
    '```',
    '```js\n',
    '\n\n',
    '. ',
    '- ',
    '1. ',
    '=>',
    '//',
    '/*',
    '*/',
    '${',
    '\u0000',
    '\u200d',
    '\ud83d',
  ],
  ...['好', '，', 'é', 'ß', '👩‍👧', 'ة', 'क्ष', 'ー'],
  ...[
    '[NOTE TO SELF: ',
    '[NOTE',
    '[QUOTED NOTE',
    'NOTE TO SELF',
    '{"note":"',
    '"steps":[{',
    '{"program":{"name":"',
  ],
  ...[
    'const a =',
    'function f(',
    'class A {',
    'import x from ',
    'return ',
    '<div class="',
    'def f(x):\n  ',
  ],
  ...[
    '2026-11-15T12:00:00Z INFO ',
    'Error: ',
    'http://a.b/',
    'a@b.c',
    '#ff0000',
    '12,345.67',
    'x'.repeat(40),
  ],
  ...[
    'What was the ',
    'and then ',
    'the lamp is red',
    'Actions so far',
    '[Previous: ',
    '[Earlier in this conversation:]',
  ],
]

/** What opens something that may never close. */
const openers = [
  '{"note":"',
  '{"a":"',
  '{"a":[',
  '```js\n',
  'const a =',
  '[NOTE TO SELF: ',
  '<div ',
  '"',
  '(',
]

/** A text of about `size` characters: a beginning, a piece that comes again and again, with a number or without, an end. */
function createText(random: Random): (size: number) => string {
  const one = (from: readonly string[]) => from[random(from.length)]!
  const some = (most: number) => list(random(most + 1), () => one(atoms)).join('')
  const head = random(2) ? one(openers) : some(3)
  const [piece, tail, isNumbered] = [one(atoms) + some(random(4)), some(2), random(3) === 0]
  return size => {
    const times = Math.ceil(size / (piece.length + (isNumbered ? 4 : 0)))
    return (
      head + (isNumbered ? list(times, n => `${piece}${n}`).join('') : piece.repeat(times)) + tail
    )
  }
}

const call = (n: number, json: string) => ({
  id: `c${n}`,
  type: 'function',
  function: { name: n % 3 ? 'read_file' : 'run', arguments: json },
})

/** Few messages, one of which has the text in one of the places where texts stand. */
function around(text: string, place: number): readonly MessageLike[] {
  const at = (n: number, otherwise: string) => (place % 7 === n ? text : otherwise)
  const turns = Array.from({ length: 6 }, (_, n) => [
    { role: 'user', content: `What about the boat ${n}?` },
    { role: 'assistant', content: `The boat ${n} is called Petrel ${n}.` },
  ]).flat()
  return [
    { role: 'system', content: at(0, 'Be brief.') },
    { role: 'user', content: at(1, 'Read the file.') },
    { role: 'assistant', content: at(2, ''), tool_calls: [call(0, at(3, '{"path":"a"}'))] },
    { role: 'tool', tool_call_id: 'c0', content: at(4, 'ok') },
    { role: 'assistant', content: 'Done.' },
    { role: 'assistant_note', content: at(5, 'the file is read') },
    ...turns,
    { role: 'user', content: at(6, 'What was the file about?') },
  ]
}

/** Kinds of messages, of which some come again and again. */
const kinds: readonly ((n: number) => readonly MessageLike[])[] = [
  n => [{ role: 'user', content: `question ${n}` }],
  n => [{ role: 'assistant', content: `answer ${n}` }],
  n => [{ role: 'system', content: `rule ${n}` }],
  n => [{ role: 'assistant_note', content: `note ${n}` }],
  n => [{ role: 'tool', tool_call_id: `c${n}`, content: `result ${n}` }],
  n => [
    { role: 'assistant', content: '', tool_calls: [call(n, `{"path":"${n}"}`)] },
    { role: 'tool', tool_call_id: `c${n}`, content: `result ${n}` },
  ],
  n => [
    { role: 'assistant', content: null, function_call: { name: 'run', arguments: `{"n":${n}}` } },
  ],
  n => [
    {
      role: 'user',
      content: [
        { type: 'text', text: `part ${n}` },
        { type: 'image', image: 'aGk=' },
      ],
    },
  ],
  n => [{ role: 'assistant', content: `\`\`\`js\nconst a${n} = ${n}\n\`\`\`` }],
  n => [{ role: 'assistant', content: JSON.stringify({ program: { name: `p${n}`, steps: [] } }) }],
]

const sdkCall = (n: number) => ({
  type: 'tool-call',
  toolCallId: `c${n}`,
  toolName: 'run',
  input: { n },
})
const sdkResult = (n: number) => ({
  type: 'tool-result',
  toolCallId: `c${n}`,
  toolName: 'run',
  output: { type: 'text', value: `result ${n}` },
})
const nested = (depth: number) => `${'{"a":['.repeat(depth)}1${']}'.repeat(depth)}`

/** Few messages with much in them. */
const crowded: readonly ((size: number) => readonly MessageLike[])[] = [
  size => [
    { role: 'assistant', content: '', tool_calls: list(size, n => call(n, '{}')) },
    ...list(size, n => ({
      role: 'tool',
      tool_call_id: `c${size - 1 - n}`,
      content: `result ${n}`,
    })),
  ],
  size => [
    { role: 'assistant', content: list(size, sdkCall) },
    { role: 'tool', content: list(size, sdkResult).reverse() },
  ],
  size => [{ role: 'assistant', content: [...list(size, sdkCall), ...list(size, sdkResult)] }],
  size => [{ role: 'user', content: list(size, n => ({ type: 'text', text: `part ${n}` })) }],
  size => [{ role: 'user', content: 'see', images: list(size, () => 'aGk=') }],
  size => [{ role: 'assistant', content: '', tool_calls: [call(0, nested(size >> 2))] }],
  size => [
    { role: 'assistant', content: '', tool_calls: [call(0, nested(size).slice(0, size * 3))] },
  ],
  size => [
    { role: 'assistant', content: 'ok' },
    ...list(size, n => ({ role: 'assistant_note', content: `note ${n}` })),
  ],
]

function createList(random: Random): (size: number) => readonly MessageLike[] {
  const opening: MessageLike = { role: 'user', content: 'Begin.' }
  const closing: MessageLike = { role: 'user', content: 'What was question 7 about?' }
  const make = crowded[random(3 * crowded.length)]
  const cycle = list(1 + random(4), () => kinds[random(kinds.length)]!)
  if (make) return size => [opening, ...make(size), closing]
  return size => [opening, ...list(size, n => cycle[n % cycle.length]!(n)).flat(), closing]
}

const policies: readonly (() => Policy)[] = [
  spongebob,
  () => sliding({ messages: 8 }),
  () => stable({ digests: 0.2 }),
  balanced,
  thorough,
  tiered,
  () => pipe(balanced(), artifact()),
]

function createOptions(random: Random): FitOptions {
  return {
    window: [300, 300, 4_096, 10_000_000][random(4)]!,
    policy: policies[random(policies.length)]!(),
    shape: (['free', 'alternating'] as const)[random(2)]!,
    notes: (['inline', 'system', false] as const)[random(3)]!,
    overflow: (['keep', 'trim'] as const)[random(2)]!,
    ...(random(2) ? { count: words() } : {}),
  }
}

/** What is done with messages. New objects each time: nothing is remembered of the time before. */
const steps = defineState({
  name: 'steps',
  tool: 'run',
  schema: z.unknown(),
  initial: 0,
  fold: count => count + 1,
})
const ways: Readonly<
  Record<string, (messages: readonly MessageLike[], options: FitOptions) => unknown>
> = {
  fit: (messages, options) => fit(messages, options).receipt.entries.length,
  'fit, again with more': (messages, options) => {
    fit(messages.slice(0, -1), options)
    return fit(messages, options).tokens
  },
  dump: (messages, options) => dump(fit(messages, options)),
  explain: (messages, options) => explain(fit(messages, options).receipt, 0),
  toDisplay: messages => toDisplay(messages),
  journalOf: messages => journalOf(messages.map(parseMessage)),
  digestExchange: messages =>
    digestExchange({ request: 'Do it.', messages: messages.map(parseMessage) }),
  state: messages => {
    const reader = createStateReader(steps)
    for (const message of messages) reader.append(message)
    return reader.value()
  },
  reader: messages => answer(messages.filter(({ role }) => role !== 'assistant_note')),
}

const estimated = estimate()
const exact = o200k()
const textWays: Readonly<Record<string, (text: string) => unknown>> = {
  estimate: text => estimated.text(text),
  o200k: text => exact.text(text),
  neutralizeNotes,
  splitNote: text => splitNote(text),
  'a note scanner, chunk by chunk': text => {
    const scanner = createNoteScanner()
    for (let at = 0; at < text.length; at += 7) scanner.push(text.slice(at, at + 7))
    return scanner.end()
  },
}

interface Case {
  readonly name: string
  readonly size: number
  make(size: number): unknown
  work(input: unknown): unknown
}

/** The case of a number, always the same. */
function createCase(seed: number): Case {
  const random = createRandom(seed)
  const pick = <T>(from: Readonly<Record<string, T>>) =>
    Object.entries(from)[random(Object.keys(from).length)]!
  const isText = random(2) === 0
  if (isText && random(3) === 0) {
    const [name, work] = pick(textWays)
    return { name, size: 3_000, make: createText(random), work: text => work(text as string) }
  }
  const [name, work] = pick(ways)
  const options = createOptions(random)
  const place = random(7)
  const text = createText(random)
  const make = isText ? (size: number) => around(text(size), place) : createList(random)
  return {
    name: `${name} of ${isText ? `a text at ${place}` : 'a list'}`,
    size: isText ? 3_000 : 150,
    make,
    work: messages => work(structuredClone(messages) as MessageLike[], options),
  }
}

/** A case that cannot be done (too much for its window) is done in no time; anything but our own errors is a fault. */
function allowed(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    if (error instanceof ThroughlineError) return error.code
    throw error
  }
}

/** The exponent. Where it is high, larger inputs decide: a small one may just fit where a large one is cut. */
function measure({ size, make, work }: Case): number {
  const todo = (input: unknown) => allowed(() => work(input))
  const first = growth(make, todo, { size, tries: 2 })
  return first < notLinear
    ? first
    : Math.min(first, growth(make, todo, { size: 12 * size, factor: 4 }))
}

const cases = process.env.THROUGHLINE_LONG ? 3_000 : 40

describe('work grows with its input', () => {
  it('whatever comes again and again in it', { timeout: 3_600_000 }, () => {
    const slow: string[] = []
    for (let seed = 1; seed <= cases; seed++) {
      const one = createCase(seed)
      const exponent = measure(one)
      if (exponent >= notLinear) slow.push(`case ${seed}, ${one.name}: ${exponent.toFixed(2)}`)
    }
    expect(slow).toEqual([])
  })

  it('would be caught if it did not', () => {
    // Looks back over all that came before, for each character.
    const quadratic = (text: string) => {
      let found = 0
      for (let at = 0; at < text.length; at++) if (text.lastIndexOf('\u0001', at) >= 0) found += 1
      return found
    }
    const make = createText(createRandom(1))
    expect(
      measure({ name: 'planted', size: 1_000, make, work: text => quadratic(text as string) }),
    ).toBeGreaterThan(notLinear)
  })
})
