// @ts-check
import { element, find } from './element.js'

/** @typedef {import('../token-use.ts').TokenUse} TokenUse */

const number = new Intl.NumberFormat('en')

/**
 * Shows how the model's window is used.
 * @param {TokenUse} use
 */
export function showTokens(use) {
  const { window, tokens, reserve, margin, lineCount, leftOut } = use
  const parts = [
    { kind: 'instructions', tokens: use.instructions, words: 'instructions' },
    {
      kind: 'lines',
      tokens: use.lines,
      words: lineCount === 1 ? '1 older as a line' : `${lineCount} older as lines`,
    },
    { kind: 'whole', tokens: use.whole, words: 'exchanges in full' },
    { kind: 'request', tokens: use.request, words: 'request' },
    { kind: 'free', tokens: window - tokens - reserve - margin, words: 'free' },
    { kind: 'kept-free', tokens: reserve, words: 'for the reply' },
    { kind: 'margin', tokens: margin, words: 'margin of the estimate' },
  ].filter(part => part.tokens > 0)

  find('use', HTMLElement).textContent =
    `${number.format(tokens)} of ${number.format(window)} tokens`
  const bar = find('bar', HTMLElement)
  bar.replaceChildren(
    ...parts.map(({ kind, tokens }) => {
      const segment = element('span', kind)
      segment.style.flexGrow = String(tokens)
      return segment
    }),
  )
  const told = parts.map(({ tokens, words }) => `${words}: ${number.format(tokens)}`)
  bar.setAttribute('aria-label', told.join(', '))
  const shown = parts.filter(({ kind }) => kind !== 'free')
  find('parts', HTMLElement).replaceChildren(
    ...shown.map(({ kind, tokens, words }) =>
      element(
        'li',
        '',
        element('span', `key ${kind}`),
        words,
        element('b', '', number.format(tokens)),
      ),
    ),
    ...(leftOut > 0 ? [element('li', '', `${leftOut} messages left out`)] : []),
  )
}
