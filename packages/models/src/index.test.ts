import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

it('loads one package with the models, which is installed with them', () => {
  const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(name))
    .map(name => readFileSync(join(import.meta.dirname, name), 'utf8'))
  const loaded = sources.flatMap(text => [
    ...text.matchAll(
      /(?:^(?:import|export)(?! type )(?:[\w\s{},*]* from)? |import\()['"]([^.'"][^'"]*)['"]/gm,
    ),
  ])
  expect(sources.length).toBeGreaterThan(30)
  const names = loaded.map(([, name]) => name!)
  expect(names.filter(name => !name.startsWith('@throughline/'))).toEqual(['eventsource-parser'])
})
