import { describe, expect, it } from 'vitest'
import { flagOf, printConfig, settingNames, variableOf } from './config-schema.ts'
import { ConfigError, type ConfigSources, readConfig } from './read-config.ts'

const file = (content: unknown, path = 'throughline.json') => ({
  path,
  text: JSON.stringify(content),
})

function faultsOf(sources: ConfigSources): readonly string[] {
  try {
    readConfig(sources)
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n')
    throw error
  }
  throw new Error('It was taken')
}

it('names the least value that is taken of a time', () => {
  const flags = { keepAlive: '200', lingerTime: '-1', keepFor: '0d' }
  expect(faultsOf({ flags })).toEqual([
    '--keep-for must be a time with its unit, 1s or more, such as "90d" or "12h", not "0d"',
    '--keep-alive must be a number of milliseconds, 1000 or more, or a text such as "30s", "5m" or "2h", not "200"',
    '--linger-time must be a number of milliseconds, 0 or more, or a text such as "30s", "5m" or "2h", not "-1"',
  ])
})

describe('values', () => {
  it('have defaults that are safe', () => {
    const { config, sources } = readConfig({})
    expect(config).toMatchObject({
      ...{
        host: '127.0.0.1',
        port: 4170,
        db: 'throughline.db',
        ollamaHost: 'http://127.0.0.1:11434',
      },
      ...{
        notes: 'off',
        memory: true,
        manage: false,
        requireKeys: false,
        advertisedWindow: 1_000_000,
      },
      ...{ maxBody: 33_554_432, allowedHosts: [], allowedOrigins: [], logLevel: 'info' },
    })
    expect(config).not.toHaveProperty('upstream')
    expect(new Set(Object.values(sources))).toEqual(new Set(['default']))
    for (const taken of [11434, 8080, 8000, 1234, 4000, 8787, 3000, 3080])
      expect(config.port).not.toBe(taken)
  })

  it('come from flags before the environment before the file', () => {
    const { config, sources } = readConfig({
      flags: { port: '1', window: undefined },
      env: {
        THROUGHLINE_PORT: '2',
        THROUGHLINE_WINDOW: '8192',
        THROUGHLINE_DB: '  ',
        PATH: '/bin',
      },
      file: file({ port: 3, window: 4096, reserve: 100 }),
    })
    expect(config).toMatchObject({ port: 1, window: 8192, reserve: 100, db: 'throughline.db' })
    expect(sources).toMatchObject({
      port: '--port',
      window: 'THROUGHLINE_WINDOW',
      reserve: '"reserve" in throughline.json',
      db: 'default',
    })
  })

  it.each([
    ['maxBody', '64MiB', 67_108_864],
    ['maxBody', 2048, 2048],
    ['silenceTimeout', '5m', 300_000],
    ['silenceTimeout', '250 ms', 250],
    ['silenceTimeout', 1000, 1000],
    ['effort', '0.75', 0.75],
    ['manage', 'on', true],
    ['memory', false, false],
    ['memory', 'No', false],
    ['notes', 'inline', 'inline'],
    ['overflow', 'keep', 'keep'],
    ['allowedHosts', 'host.docker.internal, chat:4170', ['host.docker.internal', 'chat:4170']],
    [
      'allowedOrigins',
      ['app://obsidian.md', 'https://chat.example'],
      ['app://obsidian.md', 'https://chat.example'],
    ],
    ['upstream', 'reader', 'reader'],
    ['upstream', 'gpu-box', 'http://gpu-box:11434'],
    ['db', 'postgres://u:p@h/d', 'postgres://u:p@h/d'],
    ['db', 'C:\\logs\\log.db', 'C:\\logs\\log.db'],
  ])('%s may be written %j', (name, written, value) => {
    expect(readConfig({ file: file({ [name]: written }) }).config).toMatchObject({ [name]: value })
    if (typeof written !== 'string') return
    expect(readConfig({ flags: { [name]: written } }).config).toMatchObject({ [name]: value })
    expect(readConfig({ env: { [variableOf(name)]: written } }).config).toMatchObject({
      [name]: value,
    })
  })

  it('take OLLAMA_HOST for the place to look for Ollama', () => {
    const env = { OLLAMA_HOST: '0.0.0.0:9999' }
    expect(readConfig({ env }).config.ollamaHost).toBe('http://127.0.0.1:9999')
    expect(readConfig({ env }).sources.ollamaHost).toBe('OLLAMA_HOST')
    for (const both of [
      { ...env, THROUGHLINE_OLLAMA_HOST: 'a' },
      { THROUGHLINE_OLLAMA_HOST: 'a', ...env },
    ])
      expect(readConfig({ env: both }).config.ollamaHost).toBe('http://a:11434')
  })

  it('do not make the server its own upstream', () => {
    const env = { OLLAMA_HOST: 'localhost:4170' }
    const { config, sources } = readConfig({ env })
    expect(config.ollamaHost).toBe('http://127.0.0.1:11434')
    expect(sources.ollamaHost).toBe('default, because OLLAMA_HOST is this server')
    expect(faultsOf({ flags: { upstream: 'http://127.0.0.1:4170' } })).toEqual([
      '--upstream is the address of this server itself: give that of the model server',
    ])
    expect(readConfig({ env, flags: { port: '5000' } }).config.ollamaHost).toBe(
      'http://localhost:4170',
    )
  })
})

describe('faults', () => {
  it.each([
    [{ flags: { port: '70000' } }, '--port must be a whole number from 0 to 65535, not "70000"'],
    [{ flags: { port: '1e3' } }, '--port must be a whole number from 0 to 65535, not "1e3"'],
    [
      { env: { THROUGHLINE_WINDOW: '-1' } },
      'THROUGHLINE_WINDOW must be a whole number, 1 or more, not "-1"',
    ],
    [
      { env: { THROUGHLINE_MANAGE: 'maybe' } },
      'THROUGHLINE_MANAGE must be true or false, not "maybe"',
    ],
    [
      { env: { THROUGHLINE_MAX_BODY: '32MB' } },
      'THROUGHLINE_MAX_BODY must be a number of bytes, 1024 or more, or a text such as "32MiB", not "32MB"',
    ],
    [
      { file: file({ notes: true }) },
      '"notes" in throughline.json must be one of off, inline, system, not true',
    ],
    [
      { file: file({ effort: 2 }) },
      '"effort" in throughline.json must be a number from 0 to 1, not 2',
    ],
    [
      { flags: { allowedOrigins: '*' } },
      '--allowed-origins must be a list of origins such as "https://chat.example", without "*", not "*"',
    ],
    [
      { env: { OLLAMA_HOST: 'http://me:word@box' } },
      'OLLAMA_HOST must be an address without user and password, such as "http://127.0.0.1:11434"',
    ],
    [
      { file: { path: 'a.json', text: '{"port":' } },
      'a.json must hold a JSON object, such as {"port": 4170}',
    ],
    [
      { file: { path: 'a.json', text: '[]' } },
      'a.json must hold a JSON object, such as {"port": 4170}',
    ],
    [{ flags: { upstreem: 'x' } }, '--upstreem is no setting: did you mean --upstream?'],
    [
      { env: { THROUGHLINE_UPSTREAMKEY: 'x' } },
      'THROUGHLINE_UPSTREAMKEY is no setting: did you mean THROUGHLINE_UPSTREAM_KEY?',
    ],
    [{ file: file({ Port: 1 }) }, '"Port" in throughline.json is no setting: did you mean port?'],
    [{ file: file({ wonderful: 1 }) }, '"wonderful" in throughline.json is no setting'],
    [
      { file: { path: 'a.json', text: '{"__proto__": {"port": 1}, "constructor": 1}' } },
      '"__proto__" in a.json is no setting',
    ],
    [
      { flags: { db: 'mysql://me:word@box/d' } },
      '--db must be the path of a file, or an address such as "postgres://user:password@host/database"',
    ],
    [
      { flags: { db: 'postgres:me:word@box' } },
      '--db must be the path of a file, or an address such as "postgres://user:password@host/database"',
    ],
    [
      { flags: { policy: 'stable', effort: '0.5' } },
      '--effort goes with the policy "default", not with "stable"',
    ],
    [{ flags: { window: '100', reserve: '100' } }, '--reserve must be less than the window of 100'],
    [
      { flags: { upstreamKind: 'openai' } },
      '--upstream-kind needs "upstream", the address of the server',
    ],
  ] as [ConfigSources, string][])('%j', (sources, fault) => {
    expect(faultsOf(sources)[0]).toBe(fault)
  })

  it('are all named at once', () => {
    const faults = faultsOf({
      flags: { port: 'x' },
      env: { THROUGHLINE_PORTT: '1' },
      file: file({ window: 0 }),
    })
    expect(faults.length).toBe(3)
  })

  it('of secrets do not show them', () => {
    const faults = faultsOf({
      flags: { upstreamKey: 'hidden word', apiKeys: 'hidden', store: 'mysql://u:hidden@h' },
      env: { THROUGHLINE_LONG: '1' },
    })
    expect(faults.length).toBe(3)
    expect(faults.join()).not.toContain('hidden')
  })

  it('know very long names', () => {
    expect(faultsOf({ flags: { ['x'.repeat(100_000)]: 1 } })[0]).toContain('is no setting')
  })
})

describe('an address that others can reach', () => {
  it.each(['0.0.0.0', '::', '192.168.0.7', 'example.com', '127.0.0.1.example.com', '128.0.0.1'])(
    '%s needs keys',
    host => {
      expect(faultsOf({ flags: { host } })).toEqual([
        '--host lets other machines in: give "apiKeys" or set "requireKeys", or listen on 127.0.0.1',
      ])
      const apiKeys = '0123456789abcdef'
      expect(readConfig({ flags: { host, apiKeys } }).config).toMatchObject({ requireKeys: true })
      expect(readConfig({ flags: { host, requireKeys: true } }).config).toMatchObject({ host })
      expect(faultsOf({ flags: { host, apiKeys, requireKeys: false } }).length).toBe(1)
    },
  )

  it.each(['127.0.0.1', '127.1.2.3', 'localhost', 'LOCALHOST', '::1', '[::1]', '::ffff:127.0.0.1'])(
    '%s is none',
    host => {
      expect(readConfig({ flags: { host } }).config).toMatchObject({ host, requireKeys: false })
    },
  )
})

describe('printConfig', () => {
  it('shows every setting with its source, and no secret', () => {
    const printed = printConfig(
      readConfig({
        flags: {
          apiKeys: 'hidden-0123456789,hidden-0123456780',
          db: 'postgres://hidden:hidden@box/d?key=hidden',
        },
        env: { THROUGHLINE_UPSTREAM_KEY: 'hidden', THROUGHLINE_ALLOWED_HOSTS: 'a,b' },
      }),
    )
    const lines = printed.split('\n')
    expect(lines.map(line => line.split(' ')[0])).toEqual(settingNames)
    expect(printed).not.toContain('hidden')
    const words = lines.map(line => line.split(/ {2,}/))
    expect(words).toContainEqual(['port', '4170', 'default'])
    expect(words).toContainEqual(['db', 'postgres://…@box/d', '--db'])
    expect(words).toContainEqual(['apiKeys', '2 (not shown)', '--api-keys'])
    expect(words).toContainEqual(['upstreamKey', '(not shown)', 'THROUGHLINE_UPSTREAM_KEY'])
    expect(words).toContainEqual(['allowedHosts', 'a, b', 'THROUGHLINE_ALLOWED_HOSTS'])
    expect(words).toContainEqual(['reserve', '-', 'default'])
  })
})

it('gives every setting a flag and a variable of its own', () => {
  expect([flagOf('upstreamKey'), variableOf('upstreamKey')]).toEqual([
    '--upstream-key',
    'THROUGHLINE_UPSTREAM_KEY',
  ])
  expect(new Set(settingNames.map(flagOf)).size).toBe(settingNames.length)
})

describe('several upstreams', () => {
  const openai = { name: 'openai', models: 'gpt-*, o3', url: 'https://api.openai.test' }
  const rest = {
    name: 'ollama',
    models: ['*'],
    url: '127.0.0.1:11434',
    kind: 'ollama',
    window: 8192,
  }
  const read = (upstreams: unknown, env = {}) => readConfig({ file: file({ upstreams }), env })

  it('come from a file, or as JSON from a flag or a variable', () => {
    const expected = [
      { name: 'openai', models: ['gpt-*', 'o3'], url: 'https://api.openai.test', kind: 'auto' },
      { ...rest, url: 'http://127.0.0.1:11434' },
    ]
    expect(read([openai, rest]).config.upstreams).toEqual(expected)
    const text = JSON.stringify([openai, rest])
    expect(readConfig({ flags: { upstreams: text } }).config.upstreams).toEqual(expected)
    expect(readConfig({ env: { THROUGHLINE_UPSTREAMS: text } }).config.upstreams).toEqual(expected)
  })

  it('may have their keys in variables, and show none', () => {
    const secret = { ...openai, keyVariable: 'OPENAI_API_KEY' }
    const effective = read([secret, { ...rest, key: 'other-key' }], { OPENAI_API_KEY: 'the-key' })
    expect(effective.config.upstreams?.map(({ key }) => key)).toEqual(['the-key', 'other-key'])
    const printed = printConfig(effective)
    expect(printed).toContain(
      'gpt-*, o3 to openai at https://api.openai.test; * to ollama at http://127.0.0.1:11434',
    )
    expect(printed).not.toContain('-key')
  })

  it.each([
    [[], 'must be a list of {"name", "models", "url"}'],
    ['gpt-*', 'must be a list of {"name", "models", "url"}'],
    [[{ ...openai, url: 'nowhere at all' }], '[0].url must be "reader" or an address'],
    [[openai, { ...rest, kind: 'gemini' }], '[1].kind must be one of auto, ollama, openai'],
    [[{ models: ['*'], url: 'reader' }], '[0].name must be a short name'],
    [[{ ...openai, urll: 'x' }], '[0] has no field urll'],
    [[{ ...openai, models: [] }], '[0] (openai): "models" must name at least one'],
    [[openai, openai], '[1] (openai): there is another one of this name'],
    [[rest, openai], '[0] (ollama): takes every model, so those behind it get none: put it last'],
    [
      [{ ...openai, keyVariable: 'NO_SUCH_KEY' }],
      '[0] (openai): the variable NO_SUCH_KEY is not set',
    ],
    [
      [{ ...openai, url: 'http://127.0.0.1:4170' }],
      '[0] (openai): is the address of this server itself',
    ],
  ])('are refused with the place of the fault: %j', (upstreams, problem) => {
    expect(faultsOf({ file: file({ upstreams }) }).join('\n')).toContain(problem)
  })

  it('do not go with a single one', () => {
    const faults = faultsOf({ flags: { upstream: 'reader' }, file: file({ upstreams: [rest] }) })
    expect(faults.join()).toContain(
      '--upstream does not go with "upstreams": put it into that list',
    )
  })

  it('never show a key in a fault', () => {
    const faults = faultsOf({
      file: file({ upstreams: [{ ...openai, key: 'sk-secret', kind: 'no' }] }),
    })
    expect(faults.join()).not.toContain('sk-secret')
  })
})
