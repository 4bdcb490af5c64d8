import { isLong } from '@throughline/test-tools/is-long'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../log/message.ts'
import { type Digester, defaultDigesters, digestExchange } from './index.ts'

const blank = {
  dialect: 'ollama',
  thinking: '',
  calls: [],
  results: [],
  media: 0,
  unknown: '',
} as const
const says = (text: string): Message => ({ ...blank, role: 'assistant', text })
const exchange = (request: string, ...answers: string[]) => ({
  request,
  messages: answers.map(says),
})

const step = (name: string, color: string) => ({
  command: { type: 'pattern', name, params: { color } },
})
const thunderstorm = JSON.stringify({
  program: {
    name: 'thunderstorm',
    steps: [
      step('solid', '#1A1A2E'),
      step('pulse', '#FFFFFF'),
      step('sparkle', '#4444AA'),
      step('breathing', '#1a1a3a'),
    ],
    loop: { count: 0 },
  },
})

const isWellFormed = (text: string) => !/\p{Cs}/u.test(text)

describe('digestExchange', () => {
  it('is the line of the document', () => {
    expect(digestExchange(exchange('thunderstorm', thunderstorm))).toBe(
      '[Previous: "thunderstorm" → thunderstorm, 4 steps: solid(#1A1A2E) → pulse(#FFFFFF) → sparkle(#4444AA) → breathing(#1a1a3a), infinite loop]',
    )
  })

  it('chooses by content: a program, tools, code, text', () => {
    const made: Message = { ...says(''), calls: [{ name: 'now', arguments: '{}' }] }
    expect(digestExchange({ request: 'a', messages: [made] })).toBe(
      '[Previous: "a" → now() → (no result)]',
    )
    expect(digestExchange({ request: 'b', messages: [made, says(thunderstorm)] })).toContain(
      '→ thunderstorm, 4 steps',
    )
    expect(digestExchange(exchange('c', '```js\nlet a\n```'))).toBe('[Previous: "c" → js, 1 line]')
    expect(digestExchange(exchange('d', 'Fine. Go on.'))).toBe('[Previous: "d" → Fine.]')
    expect(digestExchange(exchange('e'))).toBe('[Previous: "e" → (no answer)]')
  })

  it('folds and cuts the request at 80 characters', () => {
    expect(digestExchange(exchange('make it\n\n  blue', 'Done.'))).toBe(
      '[Previous: "make it blue" → Done.]',
    )
    expect(digestExchange(exchange('🙂'.repeat(50), 'Done.'))).toBe(
      `[Previous: "${'🙂'.repeat(39)}…" → Done.]`,
    )
  })

  it('keeps the quotes of a request readable, and its end unmistakable', () => {
    expect(digestExchange(exchange('say "hi"', 'Hi.'))).toBe(`[Previous: "say 'hi'" → Hi.]`)
  })

  it("asks a user's digester first, and the next one if it is not its own", () => {
    const mine: Digester = ({ request }) => (request === 'poll' ? 'a poll,\nclosed' : undefined)
    const digesters = [mine, ...defaultDigesters]
    expect(digestExchange(exchange('poll', 'Yes.'), digesters)).toBe(
      '[Previous: "poll" → a poll, closed]',
    )
    expect(digestExchange(exchange('else', 'Yes.'), digesters)).toBe('[Previous: "else" → Yes.]')
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('broken')
      },
    ],
    ['returns a promise', () => Promise.resolve('late')],
    ['returns a blank', () => ' \n'],
  ])('goes on after a digester that %s', (_what, broken) => {
    expect(digestExchange(exchange('a', 'Yes.'), [broken as Digester, () => 'next'])).toBe(
      '[Previous: "a" → next]',
    )
    expect(digestExchange(exchange('a', 'Yes.'), [broken as Digester])).toBe(
      '[Previous: "a" → Yes.]',
    )
  })

  it("cuts a user's digest that has no measure", () => {
    expect(digestExchange(exchange('a'), [() => 'x'.repeat(5000)])).toHaveLength(
      '[Previous: "a" → ]'.length + 1000,
    )
  })

  it('is one bounded line, well formed, the same twice, for any texts', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.integer({ min: 0, max: 0xffff })).map(units => String.fromCharCode(...units)),
      fc.jsonValue().map(program => JSON.stringify({ program })),
      fc.string({ unit: 'binary' }).map(code => `\`\`\`\n${code}\n\`\`\``),
    )
    fc.assert(
      fc.property(text, fc.array(text), (request, answers) => {
        const line = digestExchange(exchange(request, ...answers))
        expect(line).toMatch(
          /^\[Previous: "[^"\p{Cc}\u2028\u2029]{0,80}" → [^\p{Cc}\u2028\u2029]{1,1000}\]$/u,
        )
        if ([request, ...answers].every(isWellFormed)) expect(isWellFormed(line)).toBe(true)
        expect(digestExchange(exchange(request, ...answers))).toBe(line)
      }),
      { numRuns: isLong ? 1000 : 200 },
    )
  })
})
