import { describe, expect, it } from 'vitest'
import { createScreen, cutLine, type ScreenLine, type Terminal, widthOf } from './screen.ts'

const plain = (line: ScreenLine) => line.map(([, text]) => text).join('')
const up = (lines: number) => `\u001b[${lines}A\r\u001b[J`

function terminal(size: { columns: number; rows: number }) {
  const written: string[] = []
  return {
    written,
    size,
    on: { ...size, write: (text: string) => written.push(text) } as Terminal & typeof size,
  }
}

describe('a line', () => {
  it('is left as it is when it fits, else cut with its colours', () => {
    const line: ScreenLine = [
      [1, 'lemon'],
      [0, 'ade'],
    ]
    expect(cutLine(line, 8)).toBe(line)
    expect(cutLine(line, 7)).toEqual([
      [1, 'lemon'],
      [0, 'a…'],
    ])
    expect(cutLine(line, 3)).toEqual([[1, 'le…']])
  })

  it('is measured in columns: wide letters and pictures take two, marks take none', () => {
    expect(widthOf('cash')).toBe(4)
    expect(widthOf('現金')).toBe(4)
    expect(widthOf('🍋')).toBe(2)
    expect(widthOf('é')).toBe(1)
    expect(plain(cutLine([[0, '現金は空']], 6))).toBe('現金…')
    expect(plain(cutLine([[0, '👩‍🌾👩‍🌾👩‍🌾']], 4))).toBe('👩‍🌾…')
  })
})

describe('a screen', () => {
  const style = (code: number, text: string) => `<${code}>${text}`

  it('draws over what it drew before, and not at all when nothing is new', () => {
    const { on, written } = terminal({ columns: 20, rows: 10 })
    const screen = createScreen(on, style)
    screen.draw([[[1, 'a']], [[0, 'b']]])
    screen.draw([[[1, 'a']], [[0, 'b']]])
    screen.draw([[[1, 'a']]])
    screen.draw([[[1, 'c']]])
    expect(written).toEqual(['<1>a\nb\n', `${up(2)}<1>a\n`, `${up(1)}<1>c\n`])
  })

  it('draws no more lines than there are rows: it could not go up to the rest', () => {
    const { on, written } = terminal({ columns: 20, rows: 3 })
    const screen = createScreen(on, style)
    screen.draw([[[0, 'a']], [[0, 'b']], [[0, 'c']]])
    screen.draw([[[0, 'x']], [[0, 'y']], [[0, 'z']]])
    expect(written).toEqual(['a\nb\n', `${up(2)}x\ny\n`])
  })

  it('goes up further when the terminal has become narrower, where its lines take more rows now', () => {
    const { on, written } = terminal({ columns: 20, rows: 10 })
    const screen = createScreen(on, style)
    screen.draw([[[0, 'fifteen letters']]])
    on.columns = 8
    screen.draw([[[0, 'fifteen letters']]])
    expect(written[1]).toBe(`${up(2)}fiftee…\n`)
  })
})
