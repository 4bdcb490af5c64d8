import { describe, expect, it } from 'vitest'
import { frameAt } from '../../examples/lamp/page/frame.js'
import { playingAt } from '../../examples/lamp/page/play.js'
import { columns, leds, rows } from '../../examples/lamp/page/shape.js'
import {
  type Command,
  type Program,
  readProgram,
  replySchema,
} from '../../examples/lamp/program.ts'

const step = (command: unknown, duration: number | null = null, id = '1') => ({
  id,
  command,
  duration,
})
const pattern = (name: string, params: object = {}) => ({ type: 'pattern', name, params })
const render = (...elements: readonly object[]) => ({ type: 'render', elements })

/** Reads a program as the lamp reads one that a model wrote. */
function read(program: object): Program {
  const { program: found, problem } = readProgram(JSON.stringify({ program }))
  if (!found) throw new Error(problem)
  return found
}
const frameOf = (command: object, ms = 0) => frameAt(read({ steps: [step(command)] }), ms)
const round = (frame: ReturnType<typeof frameOf>) => frame.map(colour => colour.map(Math.round))
/** The front as text, `#` for every LED that is lit. */
const picture = (command: object, ms = 0) =>
  Array.from({ length: rows }, (_, y) =>
    frameOf(command, ms)
      .slice(y * columns, (y + 1) * columns)
      .map(colour => (colour.some(channel => channel > 0) ? '#' : '.'))
      .join(''),
  )

describe('the shape of the lamp', () => {
  it('has 10 × 14 LEDs in front and 32 around, each in a place of its own', () => {
    expect(leds).toHaveLength(172)
    expect(new Set(leds.map(({ x, y }) => `${x.toFixed(3)} ${y.toFixed(3)}`)).size).toBe(172)
    const around = leds.slice(140)
    expect(around).toHaveLength(32)
    for (const { x, y } of around)
      expect(x < 0 || x > columns - 1 || y < 0 || y > rows - 1).toBe(true)
  })
})

describe('a pattern', () => {
  const params = { color: '#FF8000', color2: '#0000FF' }
  it.each(['solid', 'gradient', 'breathing', 'wave', 'rainbow', 'pulse', 'sparkle'])(
    '%s gives 172 colours, always the same',
    name => {
      for (const ms of [0, 1, 333, 1000, 12_345, 1e9]) {
        const frame = frameOf(pattern(name, params), ms)
        expect(frame).toHaveLength(172)
        for (const channel of frame.flat()) expect(channel >= 0 && channel <= 255).toBe(true)
        expect(frameOf(pattern(name, params), ms)).toEqual(frame)
      }
      const moves =
        JSON.stringify(frameOf(pattern(name, params), 0)) !==
        JSON.stringify(frameOf(pattern(name, params), 700))
      expect(moves).toBe(name !== 'solid')
    },
  )

  it('has the colours that it is given', () => {
    expect(new Set(round(frameOf(pattern('solid', params))).map(String))).toEqual(
      new Set(['255,128,0']),
    )
    const gradient = round(frameOf(pattern('gradient', params)))
    expect([gradient[0], gradient[130]]).toEqual([
      [255, 128, 0],
      [0, 0, 255],
    ])
    expect(round(frameOf(pattern('pulse', params)))[0]).toEqual([255, 128, 0])
    expect(round(frameOf(pattern('breathing', params), 2000))[0]).toEqual([255, 128, 0])
    expect(new Set(round(frameOf(pattern('rainbow'))).map(String)).size).toBeGreaterThan(20)
  })

  it('lights some LEDs at a time when it sparkles', () => {
    const lit = frameOf(pattern('sparkle', { color: '#FFFFFF' }), 5000).filter(
      ([red]) => red > 60,
    ).length
    expect(lit).toBeGreaterThan(10)
    expect(lit).toBeLessThan(90)
  })

  it('is slower at a lower speed, and darker at a lower brightness', () => {
    const wave = (speed: number, ms: number) => frameOf(pattern('wave', { ...params, speed }), ms)
    expect(wave(0.5, 2000)).toEqual(wave(1, 1000))
    expect(round(frameOf(pattern('solid', { ...params, brightness: 0.5 })))[0]).toEqual([
      128, 64, 0,
    ])
  })

  it('never flashes more than three times a second', () => {
    const red = (ms: number) =>
      frameOf(pattern('pulse', { color: '#FF0000', speed: 10 }), ms)[0]![0]
    const flashes = Array.from({ length: 1000 }, (_, ms) => red(ms + 1) > red(ms) + 100).filter(
      Boolean,
    ).length
    expect(flashes).toBeLessThanOrEqual(3)
  })
})

describe('a render command', () => {
  const white = '#FFFFFF'
  it('fills all LEDs', () => {
    expect(round(frameOf(render({ type: 'fill', color: '#010203' })))).toEqual(
      Array(172).fill([1, 2, 3]),
    )
  })

  it('draws pixels, rectangles and lines, and leaves out what lies outside', () => {
    const drawn = picture(
      render(
        { type: 'pixel', x: 9, y: 0, color: white },
        { type: 'rect', x: 1, y: 2, width: 4, height: 3, color: white, filled: false },
        { type: 'rect', x: -2, y: 6, width: 4, height: 2, color: white },
        { type: 'line', x1: 9, y1: 13, x2: 5, y2: 9, color: white },
        { type: 'pixel', x: 50, y: 50, color: white },
        { type: 'line', x1: -100, y1: 12, x2: 100, y2: 12, color: white },
      ),
    )
    expect(drawn).toEqual([
      '.........#',
      '..........',
      '.####.....',
      '.#..#.....',
      '.####.....',
      '..........',
      '##........',
      '##........',
      '..........',
      '.....#....',
      '......#...',
      '.......#..',
      '##########',
      '.........#',
    ])
  })

  it('writes a short text in the middle, and scrolls a long one', () => {
    expect(picture(render({ type: 'text', text: 'Hi', color: white })).slice(4, 9)).toEqual([
      '..#.#.###.',
      '..#.#..#..',
      '..###..#..',
      '..#.#..#..',
      '..#.#.###.',
    ])
    const long = render({ type: 'text', text: 'Good night, Ö 漢!', color: white })
    const shown = [0, 2000, 4000].map(ms => picture(long, ms).join('\n'))
    expect(new Set(shown).size).toBe(3)
    expect(shown[0]).not.toContain('#')
  })
})

describe('a program', () => {
  const colours = ['#FF0000', '#00FF00', '#0000FF']
  const steps = colours.map((color, at) => step(pattern('solid', { color }), 1000, String(at + 1)))
  const placesOf = (program: object, ...times: readonly number[]) =>
    times.map(ms => playingAt(read(program), ms).step)

  it('plays its steps in order; the last one stays', () => {
    expect(placesOf({ steps }, 0, 999, 1000, 2500, 1e9)).toEqual([0, 0, 1, 2, 2])
  })

  it('repeats a part of them, so often or for ever', () => {
    const loop = { start_step: '1', end_step: '2' }
    expect(
      placesOf({ steps, loop: { ...loop, count: 2 } }, 0, 1500, 2500, 3500, 4500, 9000),
    ).toEqual([0, 1, 0, 1, 2, 2])
    expect(placesOf({ steps, loop: { ...loop, count: 0 } }, 2500, 1e9, 1e9 + 1000)).toEqual([
      0, 0, 1,
    ])
    expect(
      placesOf({ steps, loop: { count: 0, start_step: '2', end_step: '3' } }, 0, 1000, 3000, 4000),
    ).toEqual([0, 1, 1, 2])
  })

  it('stays at a step without a duration, and ends with its last command', () => {
    expect(placesOf({ steps: [steps[0], step({ type: 'stop' })] }, 1000, 1e12)).toEqual([1, 1])
    const ended = read({ steps, on_complete: { command: { type: 'stop' } } })
    expect(playingAt(ended, 3000)).toEqual({ step: 3, command: { type: 'stop' }, since: 0 })
    expect(
      frameAt(ended, 3000)
        .flat()
        .every(channel => channel === 0),
    ).toBe(true)
    expect(frameAt(undefined, 0)).toHaveLength(172)
  })

  const bad: readonly [string, unknown, RegExp][] = [
    ['no steps', { steps: [] }, /steps/],
    ['steps that are no list', { steps: { id: '1' } }, /steps/],
    ['an unknown pattern', { steps: [step(pattern('lava'))] }, /steps\.0\.command\.name/],
    [
      'a colour in words',
      { steps: [step(pattern('solid', { color: 'red' }))] },
      /expected a colour like/,
    ],
    ['a loop to nowhere', { steps, loop: { count: 1, start_step: '9' } }, /names a step/],
    [
      'a loop that ends first',
      { steps, loop: { count: 1, start_step: '3', end_step: '1' } },
      /ends before/,
    ],
    ['a duration of nothing', { steps: [step({ type: 'stop' }, 0)] }, /duration/],
  ]
  it.each(bad)('with %s is refused, and it is said why', (_, program, why) => {
    expect(readProgram(JSON.stringify({ program })).problem).toMatch(why)
  })

  it('is found in a fence and between words; anything else is told', () => {
    const json = JSON.stringify({ program: { name: 'x', steps } })
    expect(readProgram(`Here:\n\`\`\`json\n${json}\n\`\`\`\nEnjoy!`).program?.name).toBe('x')
    for (const text of [
      '',
      'no',
      '{',
      '}{',
      '{}',
      '[]',
      'null',
      '{"program":null}',
      '{'.repeat(100_000),
    ])
      expect(readProgram(text).problem).toBeTypeOf('string')
    const numbers = read({
      steps: [{ id: 1, command: { type: 'stop' } }],
      loop: { count: 0, start_step: 1 },
    })
    expect([numbers.steps[0]!.id, numbers.name, numbers.steps[0]!.duration]).toEqual([
      '1',
      'Unnamed',
      null,
    ])
  })

  it('has a form that a server can hold a model to', () => {
    const schema = JSON.stringify(replySchema)
    for (const type of [
      'fill',
      'text',
      'pixel',
      'rect',
      'line',
      'pattern',
      'render',
      'stop',
    ] satisfies (Command['type'] | string)[])
      expect(schema).toContain(`"const":"${type}"`)
  })
})
