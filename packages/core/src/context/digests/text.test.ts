import { growth, notLinear } from '@throughline/test-tools/growth'
import { isLong } from '@throughline/test-tools/is-long'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message, Role } from '../../log/message.ts'
import { digestText } from './text.ts'

const blank = {
  dialect: 'ollama',
  thinking: '',
  calls: [],
  results: [],
  media: 0,
  unknown: '',
} as const
const says = (text: string, role: Role = 'assistant'): Message => ({ ...blank, role, text })
const digest = (...texts: string[]) =>
  digestText({ request: 'x', messages: texts.map(text => says(text)) })

describe('digestText', () => {
  it.each([
    ['The lamp is on. It is blue.', 'The lamp is on.'],
    ['Is it on? Yes.', 'Is it on?'],
    ['He said "no." Then he left.', 'He said "no."'],
    ['It works (mostly.) Try it.', 'It works (mostly.)'],
    ['No. I cannot do that.', 'No.'],
    ['One line\nanother line.', 'One line'],
    ['没问题。我来做！', '没问题。'],
    ['「できました。」次へ', '「できました。」'],
    ['Use e.g. Paris or Rome. Then go.', 'Use e.g. Paris or Rome.'],
    ['Ask Dr. Smith or Mrs. Jones. Then go.', 'Ask Dr. Smith or Mrs. Jones.'],
    ['Pi is 3.14 in v1.2 of index.ts. Then go.', 'Pi is 3.14 in v1.2 of index.ts.'],
    ['At 5 p.m. Monday, J. Smith calls. Then go.', 'At 5 p.m. Monday, J. Smith calls.'],
    ['Well... maybe. Yahoo! is a name.', 'Well... maybe.'],
    ['Lists, maps, etc. and sets. Done.', 'Lists, maps, etc. and sets.'],
    ['Lists, maps, etc. Sets too. Done.', 'Lists, maps, etc. Sets too.'],
    ['no end', 'no end'],
    ['42.\n\nBecause.', '42.'],
    ['42. \n\nBecause.', '42.'],
    ['👍', '👍'],
    [
      '[Cancelled by the user — disregard this turn.]',
      '[Cancelled by the user — disregard this turn.]',
    ],
  ])('ends the sentence of %j', (text, expected) => {
    expect(digest(text)).toBe(expected)
  })

  it.each([
    ['## The plan\n\nFirst we dig.', 'The plan'],
    ['- first\n- second', 'first'],
    ['* **Bold** words. More.', 'Bold words.'],
    ['**All of it.** More.', 'All of it.'],
    ['__Note:__ this. More.', 'Note: this.'],
    ['Use `__init__` here. More.', 'Use `__init__` here.'],
    ['2**3 is 8. More.', '2**3 is 8.'],
    ['1. Open it\n2. Close it', 'Open it'],
    ['> - [ ] to do', 'to do'],
    ['---\n\n***\n\nText.', 'Text.'],
    ['```js\nlet a\n```\n\nThat declares one variable. More.', 'That declares one variable.'],
    ['```js\nlet a\n```', 'let a'],
    ['---', '---'],
    ['# ', '#'],
  ])('strips the Markdown of %j', (text, expected) => {
    expect(digest(text)).toBe(expected)
  })

  it('is at most 120 characters', () => {
    expect(digest('word '.repeat(100))).toBe(`${'word '.repeat(23)}word…`)
  })

  it('takes the last text that the assistant said', () => {
    expect(digest('Let me see.', 'It is five.', '  \n')).toBe('It is five.')
  })

  it('says when there is no answer; notes, tools and thinking are none', () => {
    expect(digest()).toBe('(no answer)')
    expect(digest('', ' \n\t')).toBe('(no answer)')
    const silent = [
      says('a note', 'assistant_note'),
      says('a result', 'tool'),
      { ...says(''), thinking: 'hm' },
    ]
    expect(digestText({ request: 'x', messages: silent })).toBe('(no answer)')
  })

  it('is one short line, never empty, the same twice, for any text', () => {
    const markdown = fc.constantFrom(
      '# ',
      '- ',
      '**',
      '__',
      '```',
      '\n',
      '. ',
      '。',
      'e.g. ',
      '1. ',
      '> ',
      ' ',
      'Word',
    )
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.oneof(markdown, fc.string({ unit: 'binary' }))).map(parts => parts.join('')),
    )
    fc.assert(
      fc.property(text, answer => {
        const line = digest(answer)
        expect(line).not.toBe('')
        expect(line.length).toBeLessThanOrEqual(120)
        expect(line).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
        expect(digest(answer)).toBe(line)
      }),
      { numRuns: isLong ? 1000 : 200 },
    )
  })

  it.each(['.', '-\n', '*', '_', ' ', '\n', 'a. b', '```\n', '> '])(
    'reads a long text of %j once',
    part => {
      expect(growth(size => part.repeat(size), digest, { size: 20_000 })).toBeLessThan(notLinear)
    },
  )
})
