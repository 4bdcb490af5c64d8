import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../src')
const names = readdirSync(root, { recursive: true, encoding: 'utf8' })
const read = (name: string) => readFileSync(join(root, name), 'utf8')
const styles = names.filter(name => name.endsWith('.css')).map(read)
const words = new Set(
  names
    .filter(name => /^words.*\.css$/.test(name))
    .flatMap(name => [...read(name).matchAll(/\.([a-z][a-z0-9-]*)/g)].map(([, word]) => word!)),
)

/** Where words stand: `composes: … from global` and the fixed part of class names. */
const places = [
  ...styles.flatMap(text => [...text.matchAll(/composes:([^;"]*)from global/g)]),
  ...names
    .filter(name => name.endsWith('.tsx'))
    .flatMap(name => [
      ...read(name).matchAll(/className=(?:"|\{`)([^"`$]*)|[?:] '([a-z0-9 -]+)'/g),
    ]),
].map(([, first, second]) => ({
  isSure: first !== undefined,
  words: (first ?? second!).split(/\s+/),
}))

describe('the shared words of the styles', () => {
  it('are all defined', () => {
    const used = places.filter(({ isSure }) => isSure).flatMap(place => place.words)
    expect(used.filter(word => word !== '' && !words.has(word))).toEqual([])
  })

  it('are all used', () => {
    const used = new Set(places.flatMap(place => place.words))
    expect([...words].filter(word => !used.has(word) && word !== 'css')).toEqual([])
  })

  it('leave no class without a rule', () => {
    const missing = names.filter(name => name.endsWith('.tsx')).flatMap(classesWithoutRule)
    expect(missing).toEqual([])
  })

  it('and the modules know three widths', () => {
    const widths = styles.flatMap(text =>
      [...text.matchAll(/@media \((m\w+-width: \d+px)\)/g)].map(([, width]) => width),
    )
    expect([...new Set(widths)].sort()).toEqual([
      ...['max-width: 1180px', 'max-width: 720px', 'max-width: 900px', 'min-width: 721px'],
    ])
  })
})

/** The classes that a file asks for and that the module they are of does not have. */
function classesWithoutRule(name: string): string[] {
  const [text, imports] = [read(name).replace(/^import .*$/gm, ''), read(name)]
  return [...imports.matchAll(/import (\w+) from '([^']*\.module\.css)'/g)].flatMap(
    ([, styles, path]) => {
      const rules = new Set(
        [...read(join(dirname(name), path!)).matchAll(/\.(\w+)/g)].map(([, rule]) => rule),
      )
      const classes = [...text.matchAll(new RegExp(`[{ (]${styles}\\.(\\w+)`, 'g'))].map(
        ([, one]) => one!,
      )
      return classes.filter(one => !rules.has(one)).map(one => `${name}: ${one}`)
    },
  )
}
