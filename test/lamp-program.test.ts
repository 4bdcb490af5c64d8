import { describe, expect, it } from 'vitest'
import { lampAnswer } from '../examples/lamp/lamp-program.ts'
import { type Answer, answer as read } from '../src/models/reader/answer.ts'
import { assistant, system, user } from '../src/testing/builders.ts'

/** The reader, taught to drive a lamp. */
const answer = (...[messages, tools, settings]: Parameters<typeof read>): Answer =>
  read(messages, tools, settings, [lampAnswer])
const json = { format: 'json' } as const
const programOf = (...messages: Parameters<typeof read>[0]) =>
  JSON.parse(answer(messages, [], json).text).program

describe('a lamp program', () => {
  it('is made from the words of the request', () => {
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
    expect(programOf(user('a sunset from orange to pink')).steps[0].command).toEqual({
      type: 'pattern',
      name: 'gradient',
      params: { color: '#FF8000', color2: '#FF69B4', speed: 1 },
    })
    expect(programOf(user('turn off')).steps[0].command).toEqual({ type: 'stop' })
    expect(programOf(user('constructor')).steps[0].command.params.color).toBe('#FFFFFF')
  })

  it('is changed when it is in view', () => {
    const wave = answer([user('a green wave')], [], json).text
    const chat = [user('a green wave'), assistant(`Here: ${wave} {enjoy}`)]
    const slower = programOf(...chat, user('slower'))
    expect(slower.name).toBe('a green wave')
    expect(slower.steps[0].command).toMatchObject({ name: 'wave', params: { color: '#00FF00', speed: 0.5 } })
    expect(programOf(...chat, user('make it blue')).steps[0].command).toMatchObject({
      name: 'wave',
      params: { color: '#0000FF' },
    })
  })

  it('is a new one when only a digest of the old one is in view', () => {
    const digest = user('[Previous: "a green wave" → a green wave, 1 step: wave(#00FF00)]')
    expect(programOf(digest, user('make it blue')).steps[0].command.name).toBe('solid')
  })

  it('is answered when the instructions ask for one, and their example is not the current one', () => {
    const instructions = system('Answer with a JSON program: {"program":{"name":"example","steps":[]}}')
    const { text } = answer([instructions, user('make it red')])
    expect(JSON.parse(text).program).toMatchObject({
      name: 'make it red',
      steps: [{ command: { name: 'solid', params: { color: '#FF0000' } } }],
    })
  })

  it('gives way to a schema that asks for something else', () => {
    const format = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
    const chat = [user('I live in Kiel.'), user('Where do I live?')]
    expect(answer(chat, [], { format }).text).toBe('{"city":"I live in Kiel."}')
  })
})
