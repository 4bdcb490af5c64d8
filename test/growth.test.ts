import { growth, notLinear } from '@throughline/test-tools/growth'
import { countSteps } from '@throughline/test-tools/steps/count-steps'
import { describe, expect, it } from 'vitest'

const numbers = (size: number) => Array.from({ length: size }, (_, n) => n)
const text = (size: number) => `${'a '.repeat(size)}${' '.repeat(size)}.`

it('tells linear work from quadratic work', () => {
  const linear = (list: readonly number[]) => new Set(list).size
  const quadratic = (list: readonly number[]) => list.filter(n => list.lastIndexOf(n) < 0).length
  expect(growth(numbers, linear, { size: 20_000 })).toBeLessThan(notLinear)
  expect(growth(numbers, quadratic, { size: 1_000 })).toBeGreaterThan(notLinear)
})

describe('a count of steps', () => {
  /** Twice the input: 2 for linear work, 4 for quadratic work. */
  const ratio = <Input>(make: (size: number) => Input, work: (input: Input) => unknown) => {
    const [small, large] = [make(200), make(400)]
    const steps = countSteps(() => work(small))
    expect(countSteps(() => work(small))).toBe(steps)
    return countSteps(() => work(large)) / steps
  }

  it.each<[string, (list: readonly number[]) => unknown]>([
    ['a loop', list => list.map(n => list.some(other => other === n + 0.5))],
    ['a search', list => list.filter(n => list.includes(n + 0.5))],
    ['a copy', list => list.map(() => [...list])],
    ['a removal', list => list.reduce((all, _) => all.splice(0, 1) && all, [...list])],
  ])('shows %s for each item of a list', (_, quadratic) => {
    expect(ratio(numbers, list => list.toString())).toBeLessThan(2.1)
    expect(ratio(numbers, quadratic)).toBeGreaterThan(3.5)
  })

  it.each<[string, (text: string) => unknown]>([
    ['a pattern that goes back', all => /\s+$/.test(all)],
    ['a pattern that goes back in a replacement', all => all.replace(/ +(?=x)/g, '')],
    ['a search for each character', all => [...all].filter((_, at) => all.indexOf('x', at) >= 0)],
    ['JSON for each character', all => [...all].map((_, at) => JSON.stringify(all.slice(at)))],
  ])('shows %s', (_, quadratic) => {
    expect(ratio(text, all => all.replaceAll(/a /g, 'b').trimEnd().split(/b/))).toBeLessThan(2.1)
    expect(ratio(text, quadratic)).toBeGreaterThan(3.5)
  })

  it('shows a pattern that forks for each character', () => {
    const forks = (length: number) => countSteps(() => /^(?:a|aa)+$/.test(`${'a'.repeat(length)}b`))
    expect(forks(20) / forks(10)).toBeGreaterThan(50)
  })

  // The counting matcher throws where it finds something else than the engine.
  const patterns = [
    ...[
      /a|b|cd*/g,
      /(?<x>.)\k<x>/gu,
      /(a+)+$/,
      /^a/m,
      /^a|^b/g,
      /[\]a]+?x{2,3}y{0,2}z{1,}/,
      /(?<=a{2})b(?!c)/g,
    ],
    ...[/\p{L}\p{M}*|\s/gu, /(?:a*)*b/, /\u{1F600}|😀x/u, /😀/g, /[\s\S]*?c/i, /\bfoo\B/, /$/gm],
    ...[/(?=(a+))a*b\1/, /(?<![a-z])[^\W\d]+\.?/gi, /{a}|\{/, /./gsu, /é|ß/iy],
  ]
  it.each(patterns)('matches as the engine does: %s', pattern => {
    const texts = [
      'aabbccdd',
      'xx😀yy😀',
      'aaaaab\nabab',
      'fooo foo\n',
      ']a]xxxyyzz',
      'aab aabc',
      'e\u0301 ß É',
    ]
    const steps = countSteps(() => {
      for (const one of [...texts, '', 'bacbaaaba {a}'])
        for (const from of [0, 3]) {
          pattern.lastIndex = from
          pattern.exec(one)
          one.replace(pattern, '-')
          one.split(pattern)
        }
    })
    expect(steps).toBeGreaterThan(100)
  })
})
