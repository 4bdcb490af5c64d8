import { expect, it } from 'vitest'
import { rememberLong } from './remember-long.ts'

function counting() {
  const asked: string[] = []
  const count = rememberLong(text => {
    asked.push(text)
    return text.length
  })
  return { asked, count }
}

it('counts a long text once, and gives the same number', () => {
  const { asked, count } = counting()
  const text = 'tool '.repeat(1000)
  expect([count(text), count(`${text}`), count(text)]).toEqual([5000, 5000, 5000])
  expect(asked).toHaveLength(1)
})

it('counts short and huge texts each time', () => {
  const { asked, count } = counting()
  for (const text of ['short', 'x'.repeat(600_000)])
    expect([count(text), count(text)]).toEqual([text.length, text.length])
  expect(asked).toHaveLength(4)
})

it('forgets the texts that were used least recently, and so stays small', () => {
  const { asked, count } = counting()
  const text = (n: number) => `${n}`.padEnd(600, 'x')
  for (let n = 0; n < 1024; n++) count(text(n))
  count(text(0))
  count(text(1024))
  expect(asked).toHaveLength(1025)
  count(text(0))
  expect(asked).toHaveLength(1025)
  count(text(1))
  expect(asked).toHaveLength(1026)
})

it('takes no text for another of the same length', () => {
  const count = rememberLong(text => Number(text.trim()))
  const text = (n: number) => `${n}`.padEnd(600)
  for (let n = 0; n < 900; n++) count(text(n))
  for (let n = 0; n < 900; n++) expect(count(text(n))).toBe(n)
})
