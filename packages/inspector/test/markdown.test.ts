import { growth, notLinear } from '@throughline/test-tools/growth'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type MarkdownBlock, type Token, toBlocks } from '../src/views/chat/markdown.ts'

const kinds = (blocks: readonly MarkdownBlock[]) =>
  blocks.map(({ kind, text, language }) => (kind === 'code' ? [text, language] : text))

/** The leaves of a block: what is seen of it. */
const leaves = (tokens: readonly Token[]): readonly Token[] =>
  tokens.flatMap(token => (token.type === 'inline' ? leaves(token.children ?? []) : [token]))
const leavesOf = (text: string, from: 'user' | 'model' = 'model') =>
  toBlocks(text, from)
    .flatMap(({ tokens }) => leaves(tokens))
    .filter(({ nesting }) => nesting === 0)
const seen = (text: string, from?: 'user' | 'model') =>
  leavesOf(text, from)
    .map(({ content }) => content)
    .filter(one => one !== '')
const typesIn = (text: string) =>
  toBlocks(text, 'model').flatMap(({ tokens }) => leaves(tokens).map(one => one.type))

describe('the text of a reply', () => {
  it('is paragraphs and code; code may still be growing', () => {
    const text = 'Run this:\n\n```ts title\nconst a = 1\n\nlet b\n```\nThen\nthat.\n~~~\nopen'
    expect(kinds(toBlocks(text, 'model'))).toEqual([
      'Run this:',
      ['const a = 1\n\nlet b', 'ts title'],
      'Then\nthat.',
      ['open', ''],
    ])
    expect(kinds(toBlocks('````\n```\ninner\n```\n````', 'model'))).toEqual([
      ['```\ninner\n```', ''],
    ])
    expect(kinds(toBlocks('```one``` two', 'model'))).toEqual(['```one``` two'])
  })

  it('has lists, tables, headings and quotes, each one block', () => {
    const text = '# One\n\n- a\n  - b\n- c\n\n| x | y |\n|---|--:|\n| 1 | 2 |\n\n> said\n\n---'
    expect(toBlocks(text, 'model').map(({ tokens }) => tokens[0]!.type)).toEqual([
      ...['heading_open', 'bullet_list_open', 'table_open', 'blockquote_open', 'hr'],
    ])
    expect(seen(text).filter(one => one !== '---')).toEqual([
      'One',
      'a',
      'b',
      'c',
      'x',
      'y',
      '1',
      '2',
      'said',
    ])
  })

  it('leads only to addresses of the web and of mail', () => {
    expect(
      typesIn('[a](https://a.example) <mailto:b@c.example>').filter(type => type === 'link_open'),
    ).toHaveLength(2)
    for (const bad of [
      'javascript:alert(1)',
      'JaVaScRiPt:x',
      'data:text/html,x',
      'vbscript:x',
      'file:///etc',
      '/settings',
      '//x.example',
    ])
      expect(typesIn(`[a](${bad}) ![b](${bad}) <${bad}>`), bad).not.toContain('link_open')
    expect(typesIn('![b](data:image/png;base64,AA)')).not.toContain('image')
  })

  it('holds HTML as text', () => {
    expect(seen('<script>x</script>\n\na <b onclick="x">b</b>').join('')).toBe(
      '<script>x</script>a <b onclick="x">b</b>',
    )
  })
})

describe('the text of a user', () => {
  it('is shown as it was typed, but for code and emphasis', () => {
    const text = '# no heading\n    - no list\n> said\n| a | b |\n|---|---|'
    expect(seen(text, 'user')).toEqual([text])
    expect(seen('Use `a b` and ``c ` d``, **not** `open \\*', 'user')).toEqual([
      ...['Use ', 'a b', ' and ', 'c ` d', ', ', 'not', ' `open \\*'],
    ])
    expect(kinds(toBlocks('see\n```js\nx\n```', 'user'))).toEqual(['see', ['x', 'js']])
  })
})

describe('any text', () => {
  // A row of a table may have more cells than its head: those are not shown.
  it('loses no letter outside of tables', () => {
    const texts = fc.string({
      unit: fc.constantFrom(
        '`',
        '*',
        '**',
        '_',
        '```',
        '\n',
        ' ',
        '    ',
        'a',
        '~~~',
        '<b>',
        '>',
        '- ',
        '#',
      ),
      maxLength: 60,
    })
    fc.assert(
      fc.property(texts, fc.constantFrom('user' as const, 'model' as const), (text, from) => {
        const letters = (given: string) => given.replaceAll(/[^ab]/g, '')
        const shown = leavesOf(text, from).map(
          ({ type, info, content }) => (type === 'fence' ? info : '') + content,
        )
        expect(letters(shown.join(''))).toBe(letters(text))
      }),
      { numRuns: process.env.THROUGHLINE_LONG ? 20_000 : 1000, seed: 3 },
    )
  })

  it('is bounded in depth, and loses nothing below', () => {
    for (const deep of ['> ', '- ', '1. ', '>', '> - ']) {
      const text = `${deep.repeat(5_000)}end`
      const levels = toBlocks(text, 'model').flatMap(({ tokens }) =>
        tokens.map(({ level }) => level),
      )
      expect(Math.max(...levels), deep).toBeLessThan(100)
      expect(seen(text).join(''), deep).toContain('end')
    }
  })

  const hostile: Readonly<Record<string, (size: number) => string>> = {
    fences: size => '```\n'.repeat(size / 4),
    ticks: size => '` `` ``` ** '.repeat(size / 12),
    'growing ticks': size =>
      Array.from({ length: Math.sqrt(2 * size) }, (_, at) => '`'.repeat(at)).join('e'),
    'escaped ticks': size => '\\``'.repeat(size / 3),
    emphasis: size => '*a **a '.repeat(size / 7),
    'mixed emphasis': size => '**_* '.repeat(size / 5),
    underscores: size => '_a'.repeat(size / 2),
    brackets: size => '['.repeat(size),
    links: size => '[a](b'.repeat(size / 5),
    images: size => '![[]()'.repeat(size / 6),
    titles: size => '[a](b "'.repeat(size / 7),
    references: size => '[a]: u\n'.repeat(size / 7),
    quotes: size => '>'.repeat(size),
    lists: size => `${'* '.repeat(size / 2)}a`,
    'blank lists': size => '* a\n\n'.repeat(size / 5),
    tables: size => `a|b\n-|-\n${'x\n'.repeat(size / 2)}`,
    columns: size => `${'|a'.repeat(size / 4)}\n${'|-'.repeat(size / 4)}\n`,
    tags: size => '<a '.repeat(size / 3),
    mails: size => `<${'a.'.repeat(size / 2)}@`,
    spaces: size => `a${' '.repeat(size)}b`,
    lines: size => `${'a\n'.repeat(size / 2)}=`,
    tildes: size => '~'.repeat(size),
    entities: size => '&#'.repeat(size / 2),
  }
  it.each(Object.entries(hostile))('is read in linear time: %s', (_, make) => {
    for (const from of ['user', 'model'] as const)
      expect(growth(make, text => toBlocks(text, from), { size: 20_000 })).toBeLessThan(notLinear)
  })
})
