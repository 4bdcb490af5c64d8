import { describe, expect, it } from 'vitest'
import { fit } from '../fit.ts'
import { thorough, thrifty } from '../policies/recall.ts'

const words = (n: number) => Array.from({ length: n }, (_, at) => `rule${at}`).join(' ')

/** A program for a lamp: some patterns, each with a colour and its time. */
const program = (name: string, steps: number) => ({
  program: {
    name,
    steps: Array.from({ length: steps }, (_, at) => ({
      id: `step_${at}`,
      command: {
        type: 'pattern',
        name: ['solid', 'pulse', 'sparkle', 'breathing'][at % 4],
        params: { color: `#1A${at}A2E`, speed: 40 + at, brightness: 200 },
      },
      duration: at === steps - 1 ? null : 400 * at,
    })),
    loop: { count: 0, start_step: 0, end_step: steps - 1 },
  },
})

const scenes =
  'thunderstorm,sunset,candle,aurora,ocean,forest,campfire,snowfall,fireflies,dawn,harbour'.split(
    ',',
  )
const talk = scenes.flatMap((scene, at) => [
  { role: 'user', content: `Show me a ${scene}, please` },
  { role: 'assistant', content: JSON.stringify(program(scene, 2 + (at % 4))) },
])
const lamp = (exchanges: number) => [
  { role: 'system', content: `You drive a lamp. ${words(600)}` },
  ...talk.slice(0, 2 * exchanges),
  { role: 'user', content: 'And now a rainbow' },
]

describe('a chat whose answers are programs', () => {
  it.each([
    ['default', undefined],
    ['thrifty', thrifty()],
    ['thorough', thorough()],
  ])('has ten exchanges of ten in view, whole or as a line: %s', (_, policy) => {
    for (let exchanges = 3; exchanges <= 10; exchanges++) {
      const { messages, receipt } = fit(lamp(exchanges), {
        window: 4096,
        reserve: 400,
        ...(policy && { policy }),
      })
      expect(receipt.counts.omitted).toBe(0)
      const sent = messages.map(({ content }) => content).join('\n')
      for (const scene of scenes.slice(0, exchanges))
        expect(sent).toMatch(new RegExp(`"${scene}"|→ ${scene}, \\d steps?: solid\\(#1A0A2E\\)`))
      // The program that is worked on can be edited.
      expect(sent).toContain(talk[2 * exchanges - 1]!.content)
    }
  })

  it('is told by its first answers', () => {
    const plain = talk.map(({ role }, at) => ({
      role,
      content: `This is said in ${words(90)} ${at}`,
    }))
    const chat = [lamp(0)[0]!, ...plain, ...talk, { role: 'user', content: 'And now a rainbow' }]
    const { receipt } = fit(chat, { window: 4096, reserve: 400 })
    expect(receipt.parts.digests).toBeLessThan(100)
  })
})
