import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadClient } from './load-client.ts'

it('says what to install', async () => {
  const name = 'a-client-that-nobody-has'
  const loading = loadClient(name, () => import(/* @vite-ignore */ name))
  await expect(loading).rejects.toMatchObject({
    code: 'client_missing',
    isRetryable: false,
    message: expect.stringContaining(`npm install ${name}`),
  })
})

it('loads the real ones', async () => {
  expect((await loadClient('ollama', () => import('ollama/browser'))).Ollama).toBeTypeOf('function')
  expect((await loadClient('openai', () => import('openai'))).OpenAI).toBeTypeOf('function')
})

it('loads no package with the models: who uses one provider need not install the others', () => {
  const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(name))
    .map(name => readFileSync(join(import.meta.dirname, name), 'utf8'))
  const loaded = sources.flatMap(text => [
    ...text.matchAll(/^(?:import|export)(?! type )(?:[\w\s{},*]* from)? ['"]([^.'"][^'"]*)['"]/gm),
  ])
  expect(sources.length).toBeGreaterThan(30)
  expect(loaded.map(([, name]) => name)).toEqual([])
})
