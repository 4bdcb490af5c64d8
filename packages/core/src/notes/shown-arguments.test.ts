import { describe, expect, it } from 'vitest'
import { shownArguments } from './shown-arguments.ts'

const block = '[NOTE TO SELF: the secret is [4471]]'

describe('notes in the arguments of a call', () => {
  it.each([
    ['a text', { text: `Hello. ${block}` }, { text: 'Hello.' }],
    ['a list in an object', { a: [{ b: `x ${block}` }, 1] }, { a: [{ b: 'x' }, 1] }],
    ['a name', { [`key ${block}`]: 1 }, { key: 1 }],
    ['a text alone', `Hello. ${block}`, 'Hello.'],
    ['quotes beside it', { text: `"a" \\ ${block} "b"` }, { text: '"a" \\ "b"' }],
    ['JSON in JSON', { json: JSON.stringify({ text: block }) }, { json: '{"text":""}' }],
  ])('are cut out of %s', (_, written, shown) => {
    expect(JSON.parse(shownArguments(JSON.stringify(written)))).toEqual(shown)
  })

  it('are found however they are escaped', () => {
    const escaped = [...block].map(letter => `\\u00${letter.charCodeAt(0).toString(16)}`).join('')
    expect(shownArguments(`{"text": "Hello. ${escaped}"}`)).toBe('{"text": "Hello."}')
  })

  it('are cut out of what is no JSON', () => {
    expect(shownArguments(`{"text": "Hello. ${block}`)).not.toMatch(/NOTE|4471/)
    expect(shownArguments(block)).toBe('')
  })

  it('are cut whatever their nonce, which who shows them does not know', () => {
    const json = `{"a": "${block}", "b": "[NOTE TO SELF x7: mine]", "c": "**[NOTES TO SELF: x]**"}`
    expect(shownArguments(json)).toBe('{"a": "", "b": "", "c": ""}')
  })
})

it('leaves everything else as it was written', () => {
  const json = '{ "id": 12345678901234567890, "e": 1.50e3, "t": "a\\u00e9 \\/ note" }'
  expect(shownArguments(json)).toBe(json)
  const noted = `{"id":12345678901234567890,"t":"x ${block}"}`
  expect(shownArguments(noted)).toBe('{"id":12345678901234567890,"t":"x"}')
})

it('reads a text of many megabytes', () => {
  const json = JSON.stringify({ text: `${'a "b"\n'.repeat(500_000)}${block}` })
  expect(shownArguments(json)).not.toContain('4471')
})
