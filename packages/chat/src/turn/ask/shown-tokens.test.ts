import { createNoteScanner } from '@throughline/core/notes'
import { describe, expect, it } from 'vitest'
import { createShownTokens } from './call-model.ts'

/** What is given of a reply that comes token by token, each with its own log probability: the text of each. */
function tokensOf(tokens: readonly string[]) {
  const scanner = createNoteScanner()
  const shown = createShownTokens(scanner)
  const found: { readonly text: string; readonly tokens: readonly unknown[] }[] = []
  const take = (text: string) => {
    const taken = shown.take()
    if (text !== '' || taken) found.push({ text, tokens: taken ?? [] })
  }
  for (const text of tokens) {
    shown.add({ text, logprobs: [text] })
    take(scanner.push(text))
  }
  take(scanner.end().visible)
  return found
}

describe('createShownTokens', () => {
  it('gives the tokens of a text with the text', () => {
    expect(tokensOf(['The', ' gate', ' is', ' open.'])).toEqual([
      { text: 'The', tokens: ['The'] },
      { text: ' gate', tokens: [' gate'] },
      { text: ' is', tokens: [' is'] },
      { text: ' open.', tokens: [' open.'] },
    ])
  })

  it('gives them with the rest of their text, where a part of it waits', () => {
    expect(tokensOf(['See', ' [', 'N', '1] and', '\n', 'go'])).toEqual([
      { text: 'See', tokens: ['See'] },
      { text: ' [N1] and', tokens: [' [', 'N', '1] and'] },
      { text: '\ngo', tokens: ['\n', 'go'] },
    ])
    expect(tokensOf(['a [', 'N'])).toEqual([
      { text: 'a', tokens: [] },
      { text: ' [N', tokens: ['a [', 'N'] },
    ])
  })

  it('gives no token of a note, nor one that stands in it with a part', () => {
    const reply = ['Done', '. [', 'NOTE TO', ' SELF: the code', ' is 4711', '] Bye', '.']
    const given = tokensOf(reply)
    expect(given.map(({ text }) => text).join('')).toBe('Done. Bye.')
    expect(given.flatMap(({ tokens }) => tokens)).toEqual(['Done', '.'])
  })

  it('gives no token that ends a note and begins what may be another', () => {
    const given = tokensOf(['Hi', ' [NOTE TO SELF: 4711', ' is it] [', 'N', 'o', ' note]'])
    expect(given.map(({ text }) => text).join('')).toBe('Hi [No note]')
    expect(given.flatMap(({ tokens }) => tokens)).toEqual(['Hi', 'N', 'o', ' note]'])
  })

  it('takes texts without log probabilities', () => {
    const shown = createShownTokens({ progress: () => ({ settled: 5, shown: 5 }) })
    shown.add({ text: 'plain' })
    expect(shown.take()).toBeUndefined()
  })
})
