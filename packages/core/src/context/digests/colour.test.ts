import { describe, expect, it } from 'vitest'
import { toColours } from './program.ts'

describe('toColours', () => {
  it.each([
    ['color', { color: '#1a1a3a' }, '#1a1a3a'],
    ['colors', { colors: ['#FF0000', '#0000FF'] }, '#FF0000, #0000FF'],
    [
      'color1, color2, in whatever order they come',
      { color2: '#0000FF', color1: '#FF0000' },
      '#FF0000, #0000FF',
    ],
    [
      'start_color, end_color',
      { start_color: '#FF0000', end_color: '#0000FF' },
      '#FF0000, #0000FF',
    ],
    ['from, to', { from: '#FF0000', to: '#0000FF' }, '#FF0000, #0000FF'],
    ['{ r, g, b }', { color: { r: 255, g: 8, b: 0 } }, '#FF0800'],
    ['[r, g, b]', { color: [0, 0, 10] }, '#00000A'],
    [
      'a list of [r, g, b]',
      {
        colors: [
          [255, 0, 0],
          [0, 0, 255],
        ],
      },
      '#FF0000, #0000FF',
    ],
    [
      'the stops of a gradient',
      {
        stops: [
          { color: '#F00', at: 0 },
          { color: [0, 0, 255], at: 1 },
        ],
      },
      '#F00, #0000FF',
    ],
    ['a name', { color: 'warm white' }, 'warm white'],
  ])('reads %s', (_where, params, expected) => {
    expect(toColours(params)).toBe(expected)
  })

  it('clamps channels and refuses what is no number', () => {
    expect(toColours({ color: [300, -5, 127.6] })).toBe('#FF0080')
    expect(toColours({ color: [Number.NaN, 0, 0] })).toBe('')
    expect(toColours({ color: { r: '255', g: 0, b: 0 } })).toBe('')
  })

  it('does not take a direction for a colour', () => {
    expect(toColours({ from: 'left', to: 'right' })).toBe('')
  })

  it('names a colour once, and only a few', () => {
    expect(toColours({ color: '#F00', colors: ['#F00', '#0F0'] })).toBe('#F00, #0F0')
    expect(toColours({ colors: ['a', 'b', 'c', 'd', 'e', 'f'] })).toBe('a, b, c, d, …')
  })

  it.each([undefined, null, 7, 'x', [], { color: '' }, { color: null }, { colors: {} }])(
    'has none in %j',
    params => {
      expect(toColours(params)).toBe('')
    },
  )
})
