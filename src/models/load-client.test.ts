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
