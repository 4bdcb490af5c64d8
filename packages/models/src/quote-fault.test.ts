import { describe, expect, it } from 'vitest'
import { quoteFault } from './quote-fault.ts'

const leftOut = ' (its words repeat what was sent and are left out)'
const card = 'My card:\n4471 0099\nPIN: 8812\ncvc 991\nthanks'

describe('words that repeat what was sent are left out', () => {
  it.each([
    ['as it was', card],
    ['in one line', card.replaceAll('\n', ' ')],
    ['with other white space', card.replaceAll('\n', '\r\n\t')],
    ['as JSON', JSON.stringify(card)],
    ['as JSON in JSON', JSON.stringify(JSON.stringify({ content: card }))],
    ['in capitals', card.toUpperCase()],
    ['its beginning', card.slice(0, 18)],
    ['its end', card.slice(-16)],
    ['a piece that begins anywhere', card.slice(13, 31)],
  ])('%s', (_, repeated) => {
    expect(quoteFault(`Invalid message content: ${repeated}`, ['Be brief.', card])).toBe(leftOut)
  })

  it('also where letters were escaped', () => {
    const sent = 'Мой код от шкафа: 4471'
    const escaped = [...sent].map(
      letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    expect(quoteFault(`cannot parse "${escaped.join('')}"`, [sent])).toBe(leftOut)
  })

  it('also where the text itself has backslashes', () => {
    const sent = 'C:\\new\\table of "secrets"'
    expect(quoteFault(`bad: ${sent}`, [sent])).toBe(leftOut)
    expect(quoteFault(`bad: ${JSON.stringify(sent)}`, [sent])).toBe(leftOut)
  })

  it('also of a short text, where it stands as a word', () => {
    expect(quoteFault('unexpected "pin=4471"', ['pin=4471'])).toBe(leftOut)
    expect(quoteFault('unexpected 4471', ['4471'])).toBe(leftOut)
    expect(quoteFault('the latest model', ['test'])).toBe(': "the latest model"')
  })
})

it('words of its own are quoted, in one line', () => {
  expect(quoteFault('model requires\n  more memory', [card, 'Which model?'])).toBe(
    ': "model requires more memory"',
  )
  expect(quoteFault(' \n', [card])).toBe('')
})

it('two texts that were sent are not one', () => {
  expect(quoteFault('no free slots here', ['I have no free', 'slots here, says Ada'])).toBe(
    ': "no free slots here"',
  )
})
