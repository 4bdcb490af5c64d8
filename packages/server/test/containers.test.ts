import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { validate } from 'dockerfile-utils'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../src/config/read-config.ts'

const root = join(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const dockerfile = read('Dockerfile')

it('has a Dockerfile without faults, which copies only what is there', () => {
  expect(validate(dockerfile)).toEqual([])
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(match =>
    match[1]!.split(' '),
  )
  expect(copied.filter(file => !existsSync(join(root, file)))).toEqual([])
  const sent = read('.dockerignore')
    .split('\n')
    .flatMap(line => (line.startsWith('!') ? [line.slice(1)] : []))
  expect(copied.filter(file => !sent.includes(file))).toEqual([])
  const { dependencies } = JSON.parse(read('packages/stores/package.json')) as {
    dependencies: { pg: string }
  }
  expect(dockerfile).toContain(`pg@${dependencies.pg}`)
})

it('finds faults in a Dockerfile', () => {
  expect(validate('FROM node\nCOPPY a b')).not.toEqual([])
})

it('has a compose file whose settings the server takes', () => {
  const { services } = parse(read('compose.yaml')) as { services: Record<string, Service> }
  expect(Object.keys(services)).toEqual(['server', 'postgres', 'open-webui'])
  const given = { POSTGRES_PASSWORD: 'secret', THROUGHLINE_KEY: 'a-key-of-16-characters' }
  const env = Object.fromEntries(
    Object.entries(services.server!.environment).map(([name, value]) => [
      name,
      expand(value, given),
    ]),
  )
  const inside = { THROUGHLINE_HOST: '0.0.0.0', THROUGHLINE_PORT: '4170' }
  for (const [name, value] of Object.entries(inside))
    expect(dockerfile).toContain(`${name}=${value}`)
  const { config } = readConfig({ env: { ...inside, ...env } })
  expect(config).toMatchObject({
    db: 'postgres://throughline:secret@postgres/throughline',
    upstreamKind: 'ollama',
    requireKeys: true,
    allowedHosts: ['server'],
  })
  for (const { depends_on: needs = {} } of Object.values(services))
    expect(Object.keys(needs).filter(name => !(name in services))).toEqual([])
})

interface Service {
  readonly environment: Readonly<Record<string, string>>
  readonly depends_on?: Readonly<Record<string, unknown>>
}

/** Puts values into `${NAME:-default}` and `${NAME:?message}`. */
function expand(text: string, given: Readonly<Record<string, string>>): string {
  return text.replace(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_, name: string, kind?: string, rest = '') => {
      const value = given[name] ?? (kind === '-' ? rest : undefined)
      if (value === undefined) throw new Error(`${name} is needed: ${rest}`)
      return value
    },
  )
}
