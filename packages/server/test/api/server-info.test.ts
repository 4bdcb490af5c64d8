import { memoryStore } from '@throughline/stores/memory'
import { apiClient } from '@throughline/test-tools/api-client'
import { startServer } from '@throughline/test-tools/start-server'
import { expect, it } from 'vitest'
import { createKeys } from '../../src/auth/create-keys.ts'

it('says which model answers and from where, under which addresses, and what the caller may do', async () => {
  const about = {
    upstream: 'The upstream is the built-in reader, as a test says.',
    store: 'throughline.db',
  }
  const { url } = await startServer({ about, window: 2048 })
  const { body } = await apiClient(url).get('/server')
  expect(body).toMatchObject({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    upstream: { kind: 'reader', why: about.upstream },
    ...{
      model: 'reader',
      models: [{ name: 'reader', window: 4096 }],
      window: 2048,
      store: 'throughline.db',
    },
    addresses: { ollama: url, openai: `${url}/v1`, anthropic: url, mcp: `${url}/mcp` },
    ...{
      needsKey: false,
      tenant: 'default',
      tenants: ['default'],
      scopes: ['chat', 'read', 'inspect', 'admin', 'metrics'],
    },
  })
})

it('tells those who may only read nothing of the machine', async () => {
  const store = memoryStore()
  const { key } = await createKeys(store).create({ name: 'test', tenant: 'one', scopes: ['read'] })
  const about = { upstream: 'The upstream is Ollama at http://10.0.0.7:11434.', store: 'secret.db' }
  const { url } = await startServer({ store, about, requireKeys: true })
  const { body } = await apiClient(url, { authorization: `Bearer ${key}` }).get('/server')
  expect(body).toMatchObject({
    needsKey: true,
    tenant: 'one',
    tenants: ['one'],
    scopes: ['read'],
    upstream: { kind: 'reader' },
  })
  expect(JSON.stringify(body)).not.toMatch(/10\.0\.0\.7|secret/)
})
