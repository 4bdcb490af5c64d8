import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readOptionsPage } from '@throughline/test-tools/options-text'
import { describe, expect, it } from 'vitest'

/** Links of the documentation lead somewhere: to a file that is there, and to a heading that it has. */
const root = join(import.meta.dirname, '..')
/** Made when the package is packed, so a fresh clone does not have it. */
const generated = 'docs/options.md'
const pages = [
  ...[
    'README.md',
    'ARCHITECTURE.md',
    'GLOSSARY.md',
    'CONTRIBUTING.md',
    'bench/README.md',
    'test/tools/README.md',
  ],
  ...readdirSync(join(root, 'packages')).map(name => `packages/${name}/README.md`),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.md'))
    .map(name => `docs/${name}`)
    .filter(page => page !== generated),
  ...readdirSync(join(root, 'bench/notes')).map(name => `bench/notes/${name}`),
  generated,
]

const textOf = (page: string) =>
  page === generated ? readOptionsPage().text : readFileSync(join(root, page), 'utf8')

function brokenLinks(page: string, text: string): readonly string[] {
  const prose = text.replace(/^```.*?^```/gms, '').replace(/`[^`\n]*`/g, '')
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(match => match[1]!)
  return links.filter(link => {
    if (/^[a-z]+:/.test(link)) return false
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? page : join(dirname(page), path)
    if (target !== generated && !existsSync(join(root, target))) return true
    return anchor !== undefined && !headingsOf(textOf(target)).includes(anchor)
  })
}

/** The anchors that GitHub gives to headings. */
function headingsOf(text: string): readonly string[] {
  const lines = text.replace(/^```.*?^```/gms, '').split('\n')
  return lines.flatMap(line => {
    const heading = /^#+ (.*)$/.exec(line)?.[1]
    if (heading === undefined) return []
    const plain = heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '')
    return [plain.replaceAll(' ', '-')]
  })
}

describe('links of the documentation', () => {
  it.each(pages)('%s leads only to what is there', page => {
    expect(brokenLinks(page, textOf(page))).toEqual([])
  })

  it('every page is reached from docs/README.md', () => {
    const seen = new Set<string>()
    const walk = (page: string) => {
      if (seen.has(page) || !pages.includes(page)) return
      seen.add(page)
      for (const [, link] of textOf(page).matchAll(/\]\(([^)#\s:]+\.md)/g))
        walk(join(dirname(page), link!))
    }
    walk('docs/README.md')
    const missed = pages.filter(page => page.startsWith('docs/') && !page.includes('/decisions/'))
    expect(missed.filter(page => !seen.has(page))).toEqual([])
  })

  it('every page begins with its question, which docs/README.md lists', () => {
    const index = textOf('docs/README.md')
    const asking = pages.filter(page => /^docs\/(?!README)[^/]+$/.test(page))
    const questionOf = (page: string) => /^# .*\n\n\*\*(.+\?)\*\*\n/.exec(textOf(page))?.[1]
    const silent = asking.filter(page => {
      const question = questionOf(page)
      return question === undefined || !index.includes(`](${page.slice(5)}) | ${question} |`)
    })
    expect(silent).toEqual([])
  })

  it('finds what is broken', () => {
    const text =
      '[a](fit.md) [b](fit.md#shapes) [c](fit.md#nothing) [d](none.md) `[e](no.md)` [f](https://x.y)'
    expect(brokenLinks('docs/README.md', text)).toEqual(['fit.md#nothing', 'none.md'])
  })
})

describe('pictures of the documentation', async () => {
  const script = join(root, 'scripts/pictures.mjs')
  const { pictures } = (await import(script)) as {
    pictures(): readonly (readonly [name: string, text: string])[]
  }

  it.each(pictures())('%s is as it is drawn: npm run pictures', (name, text) => {
    expect(readFileSync(join(root, `docs/images/${name}.svg`), 'utf8')).toBe(text)
  })
})
