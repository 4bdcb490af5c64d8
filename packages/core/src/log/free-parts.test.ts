import { expect, it } from 'vitest'
import { freeParts } from './free-parts.ts'

it('adds up to what is free, whatever was kept', () => {
  expect(freeParts(1265, { growth: 929, recall: 96 })).toEqual({
    turns: 929,
    recall: 96,
    rest: 240,
  })
  expect(freeParts(500, { growth: 929, recall: 96 })).toEqual({ turns: 500, recall: 0, rest: 0 })
  expect(freeParts(950, { growth: 929, recall: 96 })).toEqual({ turns: 929, recall: 21, rest: 0 })
  expect(freeParts(70, { growth: 0, recall: 0 })).toEqual({ turns: 0, recall: 0, rest: 70 })
})
