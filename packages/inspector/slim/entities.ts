/** Stands in for the package, whose table of 2,231 names is as large as the rest of Markdown: the names that people write. */
const characters: ReadonlyMap<string, string> = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&apos;', "'"],
  ['&nbsp;', '\u00a0'],
  ['&ndash;', '–'],
  ['&mdash;', '—'],
  ['&hellip;', '…'],
  ['&copy;', '©'],
])

/** Any other name stays as it is written. */
export const decodeHTMLStrict = (text: string) => characters.get(text) ?? text
