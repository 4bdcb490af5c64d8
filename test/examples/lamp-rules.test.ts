import { parseMessage } from '@throughline/core/messages'
import { assistant, system, user } from '@throughline/core/testing'
import { describe, expect, it } from 'vitest'
import { type Program, readProgram } from '../../examples/lamp/program.ts'
import { lampAnswer } from '../../examples/lamp/rules/lamp-answer.ts'
import { type LampState, lampUnderstanding } from '../../examples/lamp/rules/read-lamp.ts'
import { chipsFor, chipsIn } from '../../examples/shared/understanding.ts'

const answer = (...messages: ReturnType<typeof user>[]): string => {
  const read = messages.map(parseMessage)
  return lampAnswer({ asked: read.at(-1)!.text, messages: read })
}
function programOf(...messages: Parameters<typeof answer>): Program {
  const { program, problem } = readProgram(answer(...messages))
  if (!program) throw new Error(problem)
  return program
}
/** The program after these requests. */
function played(...requests: readonly string[]): Program {
  const chat: ReturnType<typeof user>[] = []
  for (const request of requests) {
    chat.push(user(request))
    chat.push(assistant(answer(...chat)))
  }
  return readProgram(String(chat.at(-1)!.content)).program!
}

describe('the rules of the lamp', () => {
  it('make a program from the words of a request', () => {
    expect(programOf(user('breathing purple'))).toEqual({
      name: 'breathing purple',
      steps: [
        {
          id: '1',
          command: { type: 'pattern', name: 'breathing', params: { color: '#800080', speed: 1 } },
          duration: null,
        },
      ],
    })
    expect(programOf(user('a gradient from orange to pink')).steps[0]!.command).toMatchObject({
      name: 'gradient',
      params: { color: '#FF8000', color2: '#FF69B4' },
    })
    expect(programOf(user('turn off')).steps[0]!.command).toEqual({ type: 'stop' })
    expect(programOf(user('say "good night" in red')).steps[0]!.command).toEqual({
      type: 'render',
      elements: [{ type: 'text', text: 'good night', color: '#FF0000' }],
    })
  })

  it.each([
    ['a thunderstorm', 4, 0],
    ['red, then yellow, then green, three times', 3, 3],
    ['countdown from 3', 5, undefined],
    ['police lights', 2, 0],
    ['a red heart', 1, undefined],
    ['draw a smiley', 1, undefined],
    ['a christmas tree', 2, 0],
    ['ein Lagerfeuer', 1, undefined],
  ])('know %s', (request, steps, count) => {
    const program = programOf(user(request))
    expect(program.steps).toHaveLength(steps)
    expect(program.loop?.count).toBe(count)
  })

  it('change the program that is in view, and nothing else of it', () => {
    const storm = played('a thunderstorm')
    const slower = played('a thunderstorm', 'a bit slower')
    expect(slower.name).toBe('a thunderstorm')
    expect(slower.steps.map(({ duration }) => duration)).toEqual(
      storm.steps.map(({ duration }) => duration! * 2),
    )
    expect(played('a green wave', 'make it blue').steps[0]!.command).toMatchObject({
      name: 'wave',
      params: { color: '#0000FF' },
    })
    expect(played('a thunderstorm', 'change the second step to red').steps.map(colourOf)).toEqual([
      '#1A1A2E',
      '#FF0000',
      '#4444AA',
      '#1A1A3A',
    ])
    expect(played('a sea', 'loop it three times').loop).toMatchObject({ count: 3 })
    expect(played('police lights', 'use pink instead of blue').steps.map(colourOf)).toEqual([
      '#FF0000',
      '#FF69B4',
    ])
    expect(played('write HI', 'in green').steps[0]!.command).toMatchObject({
      elements: [{ color: '#00FF00' }],
    })
    expect(played('blue waves', 'half as bright').steps[0]!.command).toMatchObject({
      params: { brightness: 0.5 },
    })
    expect(played('blue waves', 'make it red', 'undo that').steps[0]!.command).toMatchObject({
      params: { color: '#0000FF' },
    })
    expect(played('police lights', 'remove the last step')).toMatchObject({
      steps: [{ id: '1' }],
      loop: { end_step: '1' },
    })
  })

  it('change the step that a request names, by its pattern, its colour or its place', () => {
    const storm = played('a thunderstorm').steps
    const steps = (...requests: string[]) => played('a thunderstorm', ...requests).steps
    expect(steps('let the pulse last 3 seconds')).toEqual(
      storm.map((step, at) => (at === 1 ? { ...step, duration: 3000 } : step)),
    )
    expect(steps('make the lightning yellow')[1]).toMatchObject({
      command: { params: { color: '#FFFF00' } },
    })
    expect(steps('make the lightning yellow').toSpliced(1, 1)).toEqual(storm.toSpliced(1, 1))
    expect(steps('add a white flash at the end').slice(4)).toMatchObject([
      { id: '5', command: { name: 'pulse', params: { color: '#FFFFFF' } }, duration: 1500 },
    ])
    expect(steps('add a blue wave after the pulse')[2]).toMatchObject({ command: { name: 'wave' } })
    expect(steps('start with a rainbow')[0]).toMatchObject({ command: { name: 'rainbow' } })
    expect(steps('remove the sparkle').map(({ id }) => id)).toEqual(['1', '2', '4'])
    expect(steps('the first step should be red', 'make the red one green')[0]).toMatchObject({
      command: { params: { color: '#00FF00' } },
    })
    expect(steps('let each step last half a second').map(({ duration }) => duration)).toEqual([
      500, 500, 500, 500,
    ])
    expect(steps('make the lightning yellow', 'swap the yellow for orange')[1]).toMatchObject({
      command: { params: { color: '#FF8000' } },
    })
  })

  it('know what a lamp that is off has played before', () => {
    expect(played('blue waves', 'turn it off').steps[0]!.command).toEqual({ type: 'stop' })
    for (const request of ['turn it on again', 'make it red']) {
      const { name, steps } = played('blue waves', 'turn it off', request)
      expect([name, steps[0]!.command.type]).toEqual(['blue waves', 'pattern'])
    }
  })

  it('change drawings and rainbows as far as they can', () => {
    expect(played('a red heart', 'dim it').steps[0]!.command).toMatchObject({
      elements: [{ color: '#800000' }, {}, {}, {}, {}, {}, {}, {}, {}, {}],
    })
    expect(played('rainbow', 'make it blue').steps[0]!.command).toMatchObject({
      name: 'wave',
      params: { color: '#0000FF' },
    })
  })

  it('make a new one when only a digest of the old one is in view', () => {
    const digest = user('[Previous: "a green wave" → a green wave, 1 step: wave(#00FF00)]')
    expect(programOf(digest, user('make it blue')).steps[0]!.command).toMatchObject({
      name: 'solid',
    })
  })

  it('take no example of the instructions for the program that plays', () => {
    const instructions = system(
      '{"program":{"name":"example","steps":[{"id":"1","command":{"type":"stop"}}]}}',
    )
    expect(programOf(instructions, user('make it red')).name).toBe('make it red')
  })

  it('ask back where they understand nothing, never in the same words, with sentences that work', () => {
    const chat = [user('constructor')]
    const said = new Set<string>()
    for (let round = 0; round < 9; round++) {
      const reply = answer(...chat)
      expect(readProgram(reply).program).toBeUndefined()
      const chips = chipsIn(reply)
      expect(chips.length).toBeGreaterThanOrEqual(2)
      expect(chips.filter(chip => readProgram(answer(user(chip))).program === undefined)).toEqual(
        [],
      )
      said.add(reply)
      chat.push(assistant(reply), user('constructor'))
    }
    expect(said.size).toBe(9)
    const waves = user('blue waves')
    expect(answer(waves, assistant(answer(waves)), user('brighter'))).toMatch(
      /cannot change that any further/,
    )
    expect(answer(user('what can you do?'))).toMatch(/^I am a few rules, not a model\./)
  })

  // What plays stays as it is.
  it.each([
    'something soft for the evening',
    'un petit quelque chose de doux',
    'ich hätte gern etwas wie am Meer',
    'quiero algo para dormir',
    'I do not want it red',
    "I don't like blue",
    'make step 9 red',
    'make the moon red',
    'make it taste of red plums and of blue cheese',
    'what colour is the second step?',
    'would pink be nice?',
    'would you say that a sunset is red?',
    'no',
    'leave it',
    'go back to the jellyfish',
    'the kettle is on the fire again',
  ])('let a thunderstorm play on: %s', request => {
    const storm = user('a thunderstorm')
    const reply = answer(storm, assistant(answer(storm)), user(request))
    expect([request, readProgram(reply).program]).toEqual([request, undefined])
    expect(reply.length).toBeGreaterThan(10)
  })

  it('hold still without going off, and go off only when all of a request says so', () => {
    const storm = played('a thunderstorm')
    expect(played('a thunderstorm', 'stop moving').steps).toEqual([
      {
        id: '1',
        command: { type: 'pattern', name: 'solid', params: { color: '#1A1A2E' } },
        duration: null,
      },
    ])
    expect(played('a thunderstorm', 'turn off the sparkle').steps.map(({ id }) => id)).toEqual([
      '1',
      '2',
      '4',
    ])
    for (const request of [
      'stop',
      'off please',
      'mach das Licht aus',
      'éteins la lumière',
      'switch the lamp off now',
    ])
      expect(played('a thunderstorm', request).steps).toMatchObject([{ command: { type: 'stop' } }])
    expect(played('a thunderstorm', 'let step 2 last 5 seconds').steps).toEqual(
      storm.steps.map((step, at) => (at === 1 ? { ...step, duration: 5000 } : step)),
    )
    expect(played('a thunderstorm', 'step 3 green').steps.map(colourOf)).toEqual(
      storm.steps.map((step, at) => (at === 2 ? '#00FF00' : colourOf(step))),
    )
    expect(played('a thunderstorm', 'repeat steps 2 to 4 three times').loop).toEqual({
      count: 3,
      start_step: '2',
      end_step: '4',
    })
    expect(played('a red heart', 'slow waves in teal').steps[0]!.command).toMatchObject({
      name: 'wave',
    })
    expect(played('write HELLO', 'the letters red').steps[0]!.command).toMatchObject({
      elements: [{ text: 'HELLO', color: '#FF0000' }],
    })
    expect(played('a thunderstorm', 'Schritt 2 bitte vier Sekunden').steps[1]!.duration).toBe(4000)
  })

  it('offer sentences of what plays, at most seven, none of which would be refused', () => {
    const states: LampState[] = [{}]
    for (const requests of [
      ['blue waves'],
      ['a thunderstorm', 'make it red'],
      ['write HELLO'],
      ['a sea', 'off'],
    ])
      states.push({ before: played('a sunset'), program: played(...requests) })
    for (const state of states) {
      const chips = chipsFor(lampUnderstanding, state)
      expect(chips.length).toBeGreaterThanOrEqual(3)
      expect(chips.length).toBeLessThanOrEqual(7)
      for (const chip of chips) {
        const intent = lampUnderstanding.read(chip, state)
        expect([chip, intent?.kind]).toEqual([chip, 'play'])
        if (intent?.kind === 'play') expect(intent.program.steps).not.toEqual(state.program?.steps)
      }
    }
  })
})

const colourOf = ({ command }: Program['steps'][number]) =>
  command.type === 'pattern' ? command.params.color : ''
