import { upstreamWith } from '@throughline/models/fixtures'
import { expect, it, onTestFinished } from 'vitest'
import { readConfig } from '../config/read-config.ts'
import { findUpstreams } from './find-upstream.ts'
import type { Upstreams } from './upstreams.ts'

const configOf = (upstreams: readonly object[], rest = {}) =>
  readConfig({ flags: { port: 1, ...rest, upstreams: JSON.stringify(upstreams) } }).config

it('asks each address what it is, and says what it takes', async () => {
  const server = await upstreamWith(({ path }) =>
    path === '/v1/models' ? { status: 200, body: { data: [] } } : { status: 404, body: 'no' },
  )
  const { upstream, why } = await findUpstreams(
    configOf(
      [
        {
          name: 'cloud',
          models: ['gpt-*', 'o3'],
          url: server.url,
          key: 'cloud-key',
          policy: 'sliding',
        },
        { name: 'local', models: '*', url: 'reader', window: 512 },
      ],
      { window: 9000 },
    ),
  )
  onTestFinished(() => upstream.close())
  expect(why.split('\n')).toEqual([
    `The upstream "cloud" is an OpenAI-compatible server at ${server.url}. It takes gpt-*, o3.`,
    'The upstream "local" is the built-in reader. It takes *.',
  ])
  expect(server.requests.map(({ headers }) => headers.authorization)).toContain('Bearer cloud-key')
  const { all } = upstream as Upstreams
  expect(all.map(({ name, options }) => [name, options.policy?.name])).toEqual([
    ['cloud', 'sliding'],
    ['local', undefined],
  ])
  expect(await upstream.model('gpt-5').window()).toBe(9000)
  expect(await (upstream as Upstreams).of('reader').upstream.model('reader').window()).toBe(512)
})

it('names the address at which nothing answers', async () => {
  const gone = await upstreamWith([])
  await gone.close()
  const config = configOf([
    { name: 'a', models: 'a*', url: 'reader' },
    { name: 'b', models: '*', url: gone.url },
  ])
  await expect(findUpstreams(config)).rejects.toThrow(`Nothing answers at ${gone.url}`)
})

it('is the only one where there is no list', async () => {
  const { upstream, why } = await findUpstreams(
    readConfig({ flags: { upstream: 'reader' } }).config,
  )
  onTestFinished(() => upstream.close())
  expect(upstream).toMatchObject({ kind: 'reader' })
  expect(why).toBe('The upstream is the built-in reader, as "upstream" says.')
})

it('sends Responses as the setting says, or as the one of the list says for its own', async () => {
  const server = await upstreamWith(({ path }) =>
    path === '/v1/models' ? { status: 200, body: { data: [] } } : { status: 404, body: 'no' },
  )
  const { url } = server
  const { upstream } = await findUpstreams(
    configOf(
      [
        { name: 'a', models: 'a', url, responses: 'native' },
        { name: 'b', models: '*', url },
      ],
      { responses: 'converted' },
    ),
  )
  onTestFinished(() => upstream.close())
  const speaks = (model: string) => (upstream as Upstreams).of(model).upstream.speaks!('responses')
  expect([await speaks('a'), await speaks('b')]).toEqual([true, false])
})
