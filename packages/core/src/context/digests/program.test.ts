import { growth, notLinear } from '@throughline/test-tools/growth'
import { isLong } from '@throughline/test-tools/is-long'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../log/message.ts'
import { digestProgram, summarizeProgram } from './program.ts'

const blank = {
  dialect: 'ollama',
  thinking: '',
  calls: [],
  results: [],
  media: 0,
  unknown: '',
} as const
const answer = (text: string): readonly Message[] => [{ ...blank, role: 'assistant', text }]
const digest = (text: string) => digestProgram({ request: 'x', messages: answer(text) })

const pattern = (name: string, params: object = {}) => ({
  command: { type: 'pattern', name, params },
})
const stop = { command: { type: 'stop' } }
const program = (steps: unknown, rest: object = {}) => ({
  program: { name: 'test', steps, ...rest },
})

const thunderstorm = program(
  [
    pattern('solid', { color: '#1A1A2E' }),
    pattern('pulse', { color: '#FFFFFF' }),
    pattern('sparkle', { color: '#4444AA' }),
    pattern('breathing', { color: '#1a1a3a' }),
  ],
  { name: 'thunderstorm', loop: { count: 0, start_step: 0, end_step: 3 } },
)
const line =
  'thunderstorm, 4 steps: solid(#1A1A2E) → pulse(#FFFFFF) → sparkle(#4444AA) → breathing(#1a1a3a), infinite loop'

describe('a reply that is a program without its wrapper', () => {
  const bare = JSON.stringify(thunderstorm.program)

  it.each([
    ['bare', bare],
    ['in a fence', `\`\`\`json\n${bare}\n\`\`\``],
    ['between blanks', `\n ${bare}\n`],
  ])('is digested: %s', (_how, text) => {
    expect(digest(text)).toBe(line)
  })

  it.each([
    ['other JSON', '{"name":"soup","steps":[{"do":"boil"}]}'],
    ['no steps', '{"name":"soup","steps":[]}'],
    ['steps of null', '{"name":"soup","steps":[null]}'],
    ['a list', '[{"steps":[{"command":{}}]}]'],
  ])('is not taken for one: %s', (_what, text) => {
    expect(digest(text)).toBeUndefined()
  })
})

describe('summarizeProgram', () => {
  it('is the line of the document', () => {
    expect(summarizeProgram(thunderstorm)).toBe(line)
  })

  it('takes the program without its wrapper too', () => {
    expect(summarizeProgram(thunderstorm.program)).toBe(line)
  })

  it.each([
    ['a loop of 3', { loop: { count: 3 } }, 'test, 2 steps: stop → stop, 3x loop'],
    ['no loop', {}, 'test, 2 steps: stop → stop'],
    ['a loop without a count', { loop: {} }, 'test, 2 steps: stop → stop'],
    ['a loop of null', { loop: null }, 'test, 2 steps: stop → stop'],
    ['a negative count', { loop: { count: -1 } }, 'test, 2 steps: stop → stop'],
    ['a count that is text', { loop: { count: '3' } }, 'test, 2 steps: stop → stop'],
    [
      'an infinite count',
      { loop: { count: Number.POSITIVE_INFINITY } },
      'test, 2 steps: stop → stop',
    ],
    ['no name', { name: undefined }, 'Unnamed, 2 steps: stop → stop'],
    ['a blank name', { name: ' \n' }, 'Unnamed, 2 steps: stop → stop'],
    ['a name that is an object', { name: {} }, 'Unnamed, 2 steps: stop → stop'],
  ])('writes %s', (_what, rest, expected) => {
    expect(summarizeProgram(program([stop, stop], rest))).toBe(expected)
  })

  it.each([
    ['one step', stop, 'stop'],
    [
      'both colours of a gradient',
      pattern('gradient', { colors: ['#FF0000', '#0000FF'] }),
      'gradient(#FF0000, #0000FF)',
    ],
    ['a pattern without colours', pattern('rainbow'), 'rainbow'],
    ['a pattern without a name', { command: { type: 'pattern' } }, 'pattern'],
    [
      'a render step',
      { command: { type: 'render', elements: [{}, {}, {}] } },
      'render(3 elements)',
    ],
    ['one element', { command: { type: 'render', elements: [{}] } }, 'render(1 element)'],
    ['a render step without elements', { command: { type: 'render' } }, 'render(0 elements)'],
    ['another command', { command: { type: 'fade' } }, 'fade'],
    ['a missing command', {}, '?'],
    ['a command without a type', { command: {} }, '?'],
    ['a step of null', null, '?'],
  ])('writes %s', (_what, step, expected) => {
    expect(summarizeProgram(program([step]))).toBe(`test, 1 step: ${expected}`)
  })

  it.each([
    undefined,
    null,
    0,
    '',
    'text',
    [],
    {},
    { program: null },
    program({}),
    program([]),
    program('abc'),
    program(7),
  ])('is an unknown program for %j', value => {
    expect(summarizeProgram(value)).toBe('unknown program')
  })

  it('shows twelve steps and counts the rest', () => {
    expect(summarizeProgram(program(Array(100).fill(stop), { loop: { count: 2 } }))).toBe(
      `test, 100 steps: ${'stop → '.repeat(12)}… 88 more, 2x loop`,
    )
    expect(summarizeProgram(program(Array(12).fill(stop)))).not.toContain('more')
  })

  it('cuts absurd names', () => {
    const name = 'n'.repeat(5000)
    const summary = summarizeProgram(
      program([pattern(name, { color: name }), { command: { type: name } }], { name }),
    )
    expect(summary).toBe(
      `${'n'.repeat(59)}…, 2 steps: ${'n'.repeat(23)}…(${'n'.repeat(23)}…) → ${'n'.repeat(23)}…`,
    )
  })

  it('survives a getter that throws, in a step and anywhere else', () => {
    const trap = () => {
      throw new Error('trap')
    }
    const hostile = Object.defineProperty({}, 'command', { get: trap })
    expect(summarizeProgram(program([stop, hostile, stop]))).toBe('test, 3 steps: stop → ? → stop')
    expect(summarizeProgram(Object.defineProperty({}, 'program', { get: trap }))).toBe(
      'unknown program',
    )
    expect(summarizeProgram(new Proxy({}, { get: trap }))).toBe('unknown program')
    const { proxy, revoke } = Proxy.revocable([], {})
    revoke()
    expect(summarizeProgram(program(proxy))).toBe('unknown program')
  })

  it.each([Number.NaN, -1, 1e308, Number.POSITIVE_INFINITY, '3'])(
    'does not believe a length of %s',
    length => {
      const steps = new Proxy([], {
        get: (_target, key) => (key === 'length' ? length : undefined),
      })
      expect(summarizeProgram(program(steps))).toBe('unknown program')
    },
  )

  it('survives cycles and depth', () => {
    const cycle: unknown[] = []
    cycle.push(cycle, cycle, cycle)
    expect(summarizeProgram(program([pattern('wave', { colors: cycle })]))).toBe(
      'test, 1 step: wave',
    )
    const deep = JSON.parse(`${'{"program":'.repeat(10_000)}1${'}'.repeat(10_000)}`)
    expect(summarizeProgram(deep)).toBe('unknown program')
    expect(summarizeProgram(program([pattern('wave', { color: deep })]))).toBe('test, 1 step: wave')
  })

  it('never throws, is one bounded line, and the same twice, for any value whatever', () => {
    const anything = fc.anything({
      withNullPrototype: true,
      withBigInt: true,
      withTypedArray: true,
      withSparseArray: true,
    })
    const nearly = fc.record(
      {
        name: anything,
        steps: fc.oneof(
          anything,
          fc.array(fc.record({ command: fc.oneof(anything, commands(anything)) })),
        ),
        loop: fc.oneof(anything, fc.record({ count: anything })),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(
        fc.oneof(anything, fc.jsonValue(), nearly, fc.record({ program: nearly })),
        value => {
          const summary = summarizeProgram(value)
          expect(summary).toMatch(/^(unknown program|.+, (1 step|\d+ steps): .+)$/u)
          expect(summary.length).toBeLessThan(1700)
          expect(summary).not.toMatch(/[\p{Cc}\u2028\u2029]|undefined|\[object/u)
          expect(summarizeProgram(value)).toBe(summary)
        },
      ),
      { numRuns: isLong ? 1000 : 200 },
    )
  })
})

describe('programs of any make', () => {
  it.each([
    [
      'steps with a type',
      '{"program":{"name":"dusk","steps":[{"type":"fade","to":"#FF8800","ms":500},{"type":"off"}]}}',
      'dusk, 2 steps: fade(#FF8800, ms 500) → off',
    ],
    [
      'actions of a robot',
      '{"name":"fetch","actions":[{"action":"move","x":3,"y":4},{"action":"grip","closed":true}]}',
      'fetch, 2 steps: move(x 3, y 4) → grip(closed true)',
    ],
    [
      'commands that are words',
      '{"commands":[{"command":"on"},{"command":"dim","level":30}]}',
      'Unnamed, 2 steps: on → dim(level 30)',
    ],
    [
      'a JSON patch, which is a bare list',
      '[{"op":"add","path":"/title","value":"Tea"},{"op":"remove","path":"/old"}]',
      'Unnamed, 2 steps: add(/title, Tea) → remove(/old)',
    ],
    [
      'stages of a workflow, one object deeper',
      '{"workflow":{"title":"release","stages":[{"name":"build","run":"npm ci"},{"name":"publish"}]}}',
      'release, 2 steps: build(npm ci) → publish',
    ],
    [
      'a recipe',
      '{"name":"Soup","steps":[{"name":"Boil water","minutes":5},{"name":"Add salt"}]}',
      'Soup, 2 steps: Boil water(minutes 5) → Add salt',
    ],
    [
      'tasks with parameters in an object',
      '{"tasks":[{"kind":"http","params":{"method":"GET","retries":2}},{"kind":"sleep","params":{"s":1}}]}',
      'Unnamed, 2 steps: http(GET, retries 2) → sleep(s 1)',
    ],
    [
      'a timeline with colours in lists',
      '{"timeline":[{"type":"gradient","colors":["red","blue"]},{"type":"hold","beats":8}],"loop":true}',
      'Unnamed, 2 steps: gradient(red, blue) → hold(beats 8), infinite loop',
    ],
    [
      'a program that is a list',
      'Here you are: {"program": [{"type":"note","pitch":"C4"},{"type":"rest"}]}',
      'Unnamed, 2 steps: note(C4) → rest',
    ],
    [
      'a fence with prose around it',
      'Sure!\n```json\n{"sequence":[{"action":"open","what":"door"}],"loop":3}\n```\nSay when.',
      'Unnamed, 1 step: open(door), 3x loop',
    ],
    [
      'a command that is an object with a name',
      '{"steps":[{"command":{"name":"blink","times":3}},{"command":{}}]}',
      'Unnamed, 2 steps: blink(times 3) → ?',
    ],
  ])('says what is in %s', (_what, text, expected) => {
    expect(digest(text)).toBe(expected)
  })

  it.each([
    ['people', '{"users":[{"name":"Ann","age":3},{"name":"Bob","age":4}]}'],
    ['search results', '[{"type":"book","title":"Emma"}]'],
    ['steps of which one has no kind', '{"steps":[{"action":"a"},{"x":1}]}'],
    ['a list of texts', '{"steps":["boil","stir"]}'],
    ['a fence that is not closed', '```json\n{"steps":[{"action":"a"}'],
  ])('leaves %s to others', (_what, text) => {
    expect(digest(text)).toBeUndefined()
  })

  it('leaves long values out, and shows three', () => {
    const step = { action: 'say', text: 'w'.repeat(25), a: 1, b: 2, c: 3, d: 4 }
    expect(summarizeProgram([step])).toBe('Unnamed, 1 step: say(a 1, b 2, c 3)')
  })
})

describe('digestProgram', () => {
  const json = JSON.stringify(thunderstorm, undefined, 2)

  it.each([
    ['bare', json],
    ['in a fence', `\`\`\`json\n${json}\n\`\`\``],
    ['with prose around it', `Here it is {enjoy}:\n\n${json}\n\nSay "stop" to end it. }`],
    [
      'after another key',
      `{"reply":"ok, a {storm}\\"","program":${JSON.stringify(thunderstorm.program)}}`,
    ],
    ['after one that was never closed', `First I tried {"program": {"steps": [, then ${json}`],
    ['after something that only looks like one', `"program": {oops} and then ${json}`],
  ])('finds a program %s', (_where, text) => {
    expect(digest(text)).toBe(line)
  })

  it('minds braces and quotes in strings', () => {
    expect(digest(JSON.stringify(program([stop], { name: 'a } " \\ {' })))).toBe(
      'a } " \\ {, 1 step: stop',
    )
  })

  it('says that a bare program without steps is unknown', () => {
    expect(digest('{"program":{}}')).toBe('unknown program')
    expect(digest('```json\n{ "program": {"steps":{}} }\n```')).toBe('unknown program')
  })

  it.each([
    '',
    'The program is on.',
    '{"program":null}',
    '{"program":"ls"}',
    'Write `"program": {"cwd": "."}` into launch.json.',
    json.slice(0, -9),
  ])('leaves %j to others', text => {
    expect(digest(text)).toBeUndefined()
  })

  it.each([
    ['braces', '{'],
    ['openings', '"program":{'],
    ['broken programs', '"program":{x}'],
    ['blanks after the key', `"program"${' '.repeat(1000)}`],
    ['quotes', '"'],
  ])('reads a long answer of %s once', (_what, part) => {
    const make = (size: number) => part.repeat(Math.ceil(size / part.length))
    expect(digest(make(100_000))).toBeUndefined()
    expect(growth(make, digest, { size: 20_000 })).toBeLessThan(notLinear)
  })
})

function commands(anything: fc.Arbitrary<unknown>) {
  return fc.record(
    {
      type: fc.oneof(anything, fc.constantFrom('pattern', 'render', 'stop')),
      name: anything,
      params: fc.oneof(anything, fc.record({ color: anything, colors: fc.array(anything) })),
      elements: anything,
    },
    { requiredKeys: [] },
  )
}
