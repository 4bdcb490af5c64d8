import { growth, notLinear } from '@throughline/test-tools/growth'
import { expect, it } from 'vitest'
import { splitPrompt } from './split-prompt.ts'

const lines = (size: number, line: (at: number) => string) =>
  Array.from({ length: size }, (_, at) => line(at))

it.each<[string, (at: number, turn: number) => string]>([
  ['lines that are all the same', () => '- item'],
  ['lines that change places', (at, turn) => `line ${turn === 0 ? at : 1_000_000 - at}`],
  ['lines of which every second one changes', (at, turn) => `line ${at}: ${at % 2 ? turn : 0}`],
  [
    'lines that are indented more and more',
    (at, turn) => `${' '.repeat(at % 60)}deep ${at}: ${turn}`,
  ],
  ['headings', (at, turn) => `Heading ${at + turn}:`],
  ['brackets and empty lines', at => (at % 3 === 0 ? '{' : at % 3 === 1 ? '' : '}')],
  ['times', (at, turn) => `now 12:0${turn} ${at}`],
])('divides %s in linear time', (_, line) => {
  const make = (size: number) => [0, 1].map(turn => lines(size, at => line(at, turn)).join('\n'))
  const work = ([before, after]: readonly string[]) => {
    const first = splitPrompt([{ role: 'system', content: before! }], {}, 1)
    const { heads } = first
    return splitPrompt([{ role: 'system', content: after! }], { heads }, 3).text.length
  }
  expect(growth(make, work, { size: 400 })).toBeLessThan(notLinear)
})

it('divides lines under one that is as long as all of them in linear time', () => {
  const make = (size: number) =>
    `${'word '.repeat(size)}\n${lines(size, at => ` item ${at}`).join('\n')}`
  const work = (content: string) => splitPrompt([{ role: 'system', content }], {}, 1)
  expect(growth(make, work, { size: 400 })).toBeLessThan(notLinear)
})
