import { conversation } from '@throughline/test-tools/arbitrary'
import fc from 'fast-check'
import {
  artifact,
  balanced,
  createFitter,
  type FitOptions,
  fit,
  type MessageLike,
  sliding,
  spongebob,
  thorough,
  tiered,
} from 'throughline'
import { pipe } from 'throughline/policy'
import { assistant, user, words } from 'throughline/testing'
import { describe, expect, it } from 'vitest'

const long = 'word '.repeat(5_000)
const call = { id: 'a', type: 'function', function: { name: 'read', arguments: '{}' } }
const sdkCall = { type: 'tool-call', toolCallId: 'a', toolName: 'read', input: { path: 'x' } }
const sdkResult = {
  type: 'tool-result',
  toolCallId: 'a',
  toolName: 'read',
  output: { type: 'text', value: 'x' },
}

/** One message that is changed, and how. */
const cases: Readonly<Record<string, readonly [message: object, path: string, value: unknown]>> = {
  reasoning_content: [
    { role: 'assistant', content: 'a', reasoning_content: 'b' },
    'reasoning_content',
    long,
  ],
  reasoning: [{ role: 'assistant', content: 'a' }, 'reasoning', long],
  'the refusal of a part': [
    { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] },
    'content.0.refusal',
    long,
  ],
  'the value of an output': [
    { role: 'assistant', content: [sdkCall, sdkResult] },
    'content.1.output.value',
    long,
  ],
  'the input of a call': [{ role: 'assistant', content: [sdkCall] }, 'content.0.input.path', long],
  'the name of a call': [
    { role: 'assistant', content: '', tool_calls: [call] },
    'tool_calls.0.function.name',
    long,
  ],
  function_call: [
    { role: 'assistant', content: '', function_call: { name: 'f', arguments: '{}' } },
    'function_call.arguments',
    long,
  ],
  'the kind of a part': [
    { role: 'user', content: [{ type: 'hologram', text: 'a' }] },
    'content.0.data',
    { deep: { deeper: [long] } },
  ],
}

function set(target: object, path: string, value: unknown): void {
  const keys = path.split('.')
  const last = keys.pop()!
  let at = target as Record<string, unknown>
  for (const key of keys) at = at[key] as Record<string, unknown>
  at[last] = value
}

describe('a message that was changed in place', () => {
  it.each(Object.keys(cases))('is counted again: %s', name => {
    const [given, path, value] = cases[name]!
    const message = structuredClone(given) as MessageLike
    const list = [user('one'), message, user('two')]
    const options = { window: 100_000, count: words() }
    const fitter = createFitter(options)
    fitter.append(...list)
    fitter.context()
    const before = fit(list, options).tokens
    set(message, path, value)
    const cold = fit(structuredClone(list), options)
    expect(cold.tokens).toBeGreaterThan(before)
    expect(fit(list, options).tokens).toBe(cold.tokens)
    expect(fitter.context().tokens).toBe(cold.tokens)
  })

  it('is paired again: a tool_call_id that is another one tears no round', () => {
    const answer = { role: 'tool', tool_call_id: 'a', content: 'ok' }
    const list = [
      user('one'),
      { role: 'assistant', content: '', tool_calls: [call] },
      answer,
      assistant('two'),
    ]
    const options = { window: 100_000, count: words() }
    fit(list, options)
    answer.tool_call_id = 'b'
    expect(fit(list, options).messages).toEqual(fit(structuredClone(list), options).messages)
    answer.tool_call_id = 'a'
    expect(fit(list, options).messages).toEqual(list)
  })
})

interface Change {
  readonly message: number
  readonly place: number
  readonly how: number
}

/** Changes one field of a message, at any depth. */
function change(message: object, { place, how }: Change): void {
  const places = placesIn(message)
  const [holder, key] = places[place % places.length]!
  const value = holder[key]
  switch (how % 5) {
    case 0:
      holder[key] = typeof value === 'string' ? `${value} changed` : 'changed'
      return
    case 1:
      if (Array.isArray(holder)) holder.splice(Number(key), 1)
      else delete holder[key]
      return
    case 2:
      holder[key] = typeof value === 'string' ? long.slice(0, 200) : null
      return
    case 3:
      holder[Array.isArray(holder) ? String(holder.length) : 'reasoning_content'] = 'added'
      return
    default:
      // The same content in another object is no change.
      holder[key] = structuredClone(value)
  }
}

type Holder = Record<string, unknown>

function placesIn(value: unknown, found: [Holder, string][] = []): [Holder, string][] {
  if (typeof value !== 'object' || value === null) return found
  for (const key of Object.keys(value)) {
    found.push([value as Holder, key])
    placesIn((value as Holder)[key], found)
  }
  return found
}

/** Whether a context after a change equals that of a cold start. `shown`: the part of a message that fits see. */
function holds(
  list: readonly MessageLike[],
  options: FitOptions,
  given: Change,
  shown = (message: MessageLike) => message,
) {
  const own = structuredClone(list) as MessageLike[]
  const warm = own.map(shown)
  const fitter = createFitter(options)
  for (const message of warm) fitter.append(message)
  fit(warm, options)
  const before = fitter.context()
  const sent = JSON.stringify(before.messages)
  const at = given.message % own.length
  const { fate } = before.receipt.entries[at]!
  change(own[at]!, given)
  const cold = attempt(() => fit((structuredClone(own) as MessageLike[]).map(shown), options))
  for (const again of [() => fitter.context(), () => fit(warm, options)]) {
    const context = attempt(again)
    if (context === cold) continue
    // A change of a message that is left out is noticed only when the message is sent again.
    if (fate === 'omitted' && [sent, messagesOf(cold)].includes(messagesOf(context))) continue
    return false
  }
  return true
}

const messagesOf = (context: string) => context.split(between)[0]!
const between = '\n--- receipt ---\n'

/** Bytes and receipt; or the kind of error for a list that cannot be read any more. */
function attempt(make: () => ReturnType<typeof fit>): string {
  try {
    const { messages, receipt } = make()
    const { prefix: _, ...rest } = receipt
    return [JSON.stringify(messages), JSON.stringify({ ...rest, entries: receipt.entries })].join(
      between,
    )
  } catch (error) {
    return String((error as { code?: string }).code ?? error)
  }
}

const settings: fc.Arbitrary<FitOptions> = fc.record({
  window: fc.constantFrom(40, 120, 400, 100_000),
  policy: fc.constantFrom(
    spongebob(),
    sliding({ messages: 4 }),
    balanced({ digests: 0.2 }),
    thorough(),
    tiered(),
    pipe(balanced(), artifact()),
  ),
  shape: fc.constantFrom('free' as const, 'alternating' as const),
  notes: fc.constantFrom('inline' as const, 'system' as const, false as const),
  overflow: fc.constant('keep' as const),
  count: fc.constant(words()),
})
const changes = fc.record({ message: fc.nat(), place: fc.nat(), how: fc.nat() })
const lists = conversation(12).filter(list => list.length > 0)
const runs = { numRuns: process.env.THROUGHLINE_LONG ? 10_000 : 150, seed: 16 }

describe('any field of any message, changed between two contexts', () => {
  it('gives what a cold start gives', () => {
    fc.assert(
      fc.property(lists, settings, changes, (list, options, given) => {
        expect(holds(list, options, given)).toBe(true)
      }),
      runs,
    )
  })

  it('would be caught if one field were not looked at', () => {
    // The keys of the message do not name its content, though it can be read.
    const shown = (message: MessageLike) =>
      new Proxy(message, {
        ownKeys: target => Reflect.ownKeys(target).filter(key => key !== 'content'),
      })
    const { failed } = fc.check(
      fc.property(lists, settings, changes, (list, options, given) =>
        holds(list, options, given, shown),
      ),
      runs,
    )
    expect(failed).toBe(true)
  })
})
