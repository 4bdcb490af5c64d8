import { expect, it } from 'vitest'
import { growth } from './growth.ts'

const list = (size: number) => Array.from({ length: size }, (_, n) => n)

it('tells linear work from quadratic work', () => {
  const linear = (numbers: readonly number[]) => new Set(numbers).size
  const quadratic = (numbers: readonly number[]) => numbers.filter(n => numbers.lastIndexOf(n) < 0).length
  expect(growth(list, linear, { size: 20_000 })).toBeLessThan(1.6)
  expect(growth(list, quadratic, { size: 1_000 })).toBeGreaterThan(1.6)
})
